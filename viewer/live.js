// A recording that grows: the bytes that a service sends over a websocket, from the page's own address.

// Codes that the service closes with.
const SCENE_ENDED = 1001;
const SCENE_REPLACED = 1012;

/** The address of the stream for a page at `location`, or null when it was opened from disk or without a token. */
export function streamAddress(location) {
  const token = new URLSearchParams(location.search).get("token");
  if (!location.protocol.startsWith("http") || token === null) {
    return null;
  }
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  return `${scheme}://${location.host}/stream?token=${encodeURIComponent(token)}`;
}

/**
 * Connects. told.began(): a new stream begins; told.bytes(bytes): more of it; told.text(text): about the regions of a
 * world; told.state(name): "connecting", "open", "closed", "ended" or "refused". Answers each message of bytes with how
 * many bytes have come so far, so that the service knows when the page can't keep up. When the scene was replaced by
 * another it connects again. An AbortSignal ends the stream: nothing is told from then on.
 */
export function connect(address, told, signal) {
  const socket = new WebSocket(address);
  let received = 0;
  let opened = false;
  socket.binaryType = "arraybuffer";
  told.state("connecting");
  socket.addEventListener("open", () => {
    opened = true;
    told.began();
    told.state("open");
  }, { signal });
  socket.addEventListener("message", ({ data }) => {
    if (data instanceof ArrayBuffer) {
      received += data.byteLength;
      told.bytes(new Uint8Array(data));
      socket.send(`have ${received}`);
    } else {
      told.text(data);
    }
  }, { signal });
  socket.addEventListener("close", ({ code }) => {
    if (code === SCENE_REPLACED) {
      told.state("connecting");
      setTimeout(() => signal.aborted || connect(address, told, signal), 500);
    } else {
      told.state(code === SCENE_ENDED ? "ended" : opened ? "closed" : "refused");
    }
  }, { signal });
  signal.addEventListener("abort", () => socket.close());
}
