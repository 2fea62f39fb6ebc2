-- A skynet for the code of the documents: it serves one message at a time and remembers, as texts, what is
-- done with it. Timers and the function given to start run at once.
local function in_words(value)
  return type(value) == "table" and "[" .. table.concat(value, " ") .. "]" or tostring(value)
end

local function line(...)
  local words = table.pack(...)
  for i = 1, words.n do
    words[i] = in_words(words[i])
  end
  return table.concat(words, " ")
end

--[[ A new one. Its lists: sent (messages, by send, rawsend and call), started (services), logged (errors).
`serve` is what was given to dispatch; `returned` what retpack got last; `answer` what call returns. ]]
return function()
  local fake = { sent = {}, started = {}, logged = {}, time = 0 }
  local function remember(list)
    return function(...)
      list[#list + 1] = line(...)
    end
  end
  local remember_sent = remember(fake.sent)
  function fake.send(...)
    remember_sent(...)
    return true
  end
  fake.rawsend = fake.send
  fake.packstring, fake.error = line, remember(fake.logged)
  function fake.call(...)
    fake.send(...)
    return true, 100
  end
  function fake.newservice(...)
    fake.started[#fake.started + 1] = line(...)
    return 100 + #fake.started
  end
  function fake.retpack(...)
    fake.returned = table.pack(...)
  end
  function fake.start(f)
    f()
  end
  function fake.timeout(hundredths, f)
    fake.time = fake.time + hundredths
    f()
  end
  function fake.sleep(hundredths)
    fake.time = fake.time + hundredths
  end
  function fake.fork() -- for what only waits: here nothing ends
  end
  function fake.now()
    return fake.time
  end
  function fake.starttime()
    return 0
  end
  function fake.dispatch(_, f)
    fake.serve = f or fake.serve
  end
  function fake.register_protocol(protocol)
    fake.protocol = protocol
  end
  function fake.getenv()
    return nil
  end
  return fake
end
