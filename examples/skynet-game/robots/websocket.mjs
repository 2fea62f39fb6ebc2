// A websocket for robots in node: the client's side, as little of it as they need.
import { randomBytes } from "node:crypto";
import http from "node:http";

const TEXT = 1;
const BINARY = 2;
const CLOSE = 8;

/** One frame in `bytes` from `at` on: {kind, body, next}; null when it is not all there. */
function readFrame(bytes, at) {
  if (bytes.length < at + 2) {
    return null;
  }
  let [size, start] = [bytes[at + 1] & 127, at + 2];
  if (size > 125) {
    const wide = size === 127;
    start += wide ? 8 : 2;
    if (bytes.length < start) {
      return null;
    }
    size = wide ? Number(bytes.readBigUInt64BE(at + 2)) : bytes.readUInt16BE(at + 2);
  }
  const next = start + size;
  return bytes.length < next ? null : { kind: bytes[at] & 15, body: bytes.subarray(start, next), next };
}

export class Socket {
  /** hear: {text(string), binary(bytes), closed()}. Resolves when the socket is open. */
  static open(address, hear) {
    return new Promise((resolve, reject) => {
      const request = http.get(address, {
        headers: {
          connection: "Upgrade",
          upgrade: "websocket",
          "sec-websocket-version": "13",
          "sec-websocket-key": randomBytes(16).toString("base64"),
        },
      });
      request.on("error", reject);
      request.on("response", ({ statusCode }) => reject(new Error(`${address}: status ${statusCode}`)));
      request.on("upgrade", (response, stream, head) => resolve(new Socket(stream, head, hear)));
    });
  }

  constructor(stream, head, hear) {
    this.stream = stream;
    this.rest = head;
    this.hear = hear;
    stream.setNoDelay(true);
    stream.on("data", (bytes) => this.#take(bytes));
    stream.on("error", () => {});
    stream.on("close", () => hear.closed?.());
    queueMicrotask(() => this.#take(Buffer.alloc(0)));
  }

  #take(bytes) {
    this.rest = this.rest.length > 0 ? Buffer.concat([this.rest, bytes]) : bytes;
    let at = 0;
    for (let frame; (frame = readFrame(this.rest, at)); at = frame.next) {
      if (frame.kind === TEXT) {
        this.hear.text?.(frame.body.toString());
      } else if (frame.kind === BINARY) {
        this.hear.binary?.(frame.body);
      } else if (frame.kind === CLOSE) {
        this.close();
      }
    }
    this.rest = this.rest.subarray(at);
  }

  /** At most 125 bytes. What a client sends is masked; a mask of zeros leaves it as it is. */
  send(text) {
    const body = Buffer.from(text);
    this.stream.write(Buffer.concat([Buffer.from([0x80 | TEXT, 0x80 | body.length, 0, 0, 0, 0]), body]));
  }

  close() {
    this.stream.destroy();
  }
}
