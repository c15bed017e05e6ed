import { expect, it } from 'vitest';
import { readCalls, readReply, weather } from '../testing/read.ts';

const fence = (language: string, body: string) => `\`\`\`${language}\n${body}\n\`\`\``;
const json = '{"name": "get_weather", "arguments": {"city": "Oslo"}}';

it('removes the fence from the text together with the call [P6]', () => {
  const content = `First.\n${fence('json', json)}\nThen.`;
  expect(readReply(content)).toMatchObject({
    calls: [weather()],
    format: 'fenced-json',
    visibleText: 'First.\n\nThen.',
  });
});

it.each([
  ['tool-code', fence('tool_code', 'get_weather(city="Oslo")')],
  ['tool-code', fence('tool_code', 'print(default_api.get_weather(city="Oslo"))')],
  ['tool-call', fence('tool_call', json)],
  ['tool-use', fence('tool_use', json)],
])('%s: reads a fence whose language marks a call', (format, content) => {
  expect(readReply(content)).toMatchObject({ calls: [weather()], format });
});

it('reads several calls in one fence', () => {
  expect(readCalls(fence('json', `${json}\n${json}`))).toEqual([weather(), weather()]);
});

it('treats other languages as code for the user', () => {
  expect(readCalls(fence('python', 'get_weather(city="Oslo")'))).toBe('final_answer');
  expect(readCalls(fence('js', `call(${json})`))).toBe('code-sample');
});
