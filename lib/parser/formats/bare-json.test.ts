import { describe, expect, it } from 'vitest';
import { readCalls, readReply, weather } from '../testing/read.ts';

const json = '{"name": "get_weather", "arguments": {"city": "Oslo"}}';

describe('JSON calls anywhere in the text [P6]', () => {
  it.each([
    ['alone', json],
    ['in prose', `I will look. ${json} One moment.`],
    ['in a list', `[${json}]`],
    ['in a list that is not closed', `[${json}`],
    ['with a bracket too many', `[${json}]]`],
    ['in a plain fence', `\`\`\`\n${json}\n\`\`\``],
    ['in a fence that is not closed', `\`\`\`json\n${json}`],
    ['as the only inline code', `\`${json}\``],
    ['with a trailing comma', '{"name": "get_weather", "arguments": {"city": "Oslo",},}'],
    ['in Python notation', "{'name': 'get_weather', 'arguments': {'city': 'Oslo'}}"],
    ['with bare keys', '{name: "get_weather", arguments: {city: "Oslo"}}'],
    ['after braces in prose', `Use {this} or {that}: ${json}`],
    ['after a broken object', `{"name": "get_weather", "arguments": }\n${json}`],
  ])('%s', (_, content) => {
    expect(readCalls(content)).toEqual([weather()]);
  });

  it('several in one reply', () => {
    expect(readCalls(`${json} and ${json}`)).toEqual([weather(), weather()]);
  });
});

it('leaves a complete JSON answer in one piece', () => {
  const content = `{"history": [${json}]}`;
  expect(readReply(content)).toMatchObject({ type: 'final_answer', content, refusals: [] });
});

it('marks cut-off or broken calls and reads no call inside them [P15]', () => {
  expect(readReply('{"name": "get_weather", "arguments": {"city": "Os')).toMatchObject({ malformed: true });
  expect(readCalls(`{"name": "get_weather", "arguments": ${json}`)).toEqual([
    { name: 'get_weather', arguments: { name: 'get_weather', arguments: { city: 'Oslo' } } },
  ]);
  expect(readCalls(`{"name": "get_weather", "arguments": {${json}}`)).toBe('malformed');
});

const marked = '<tool_call>{\\"name\\": \\"get_weather\\", \\"arguments\\": {}}</tool_call>';

describe('a call that was cut off inside something else [P15]', () => {
  it.each([
    ['in a list', `[{"name": "get_weather", "arguments": {"city": "${marked}`],
    ['in a list under a key', `{"tool_calls": [{"name": "get_weather", "arguments": {"city": "${marked}`],
    ['under a key', `{"tool_call": {"name": "get_weather", "arguments": {"city": "${marked}`],
    ['with a rarer key', `{"action": "get_weather", "action_input": {"city": "${marked}`],
    ['with its name as the key', `{"get_weather": {"days": 3, "city": "${marked}`],
    ['below its name', `get_weather\n{"days": 3, "city": "${marked}`],
  ])('%s', (_, content) => {
    expect(readCalls(content)).toBe('cut');
  });
});

describe('arguments whose name was cut off [P15]', () => {
  it.each([
    ['inside a text', '{"arguments": {"city": "Os'],
    ['between arguments and name', '{"arguments": {"city": "Oslo"}'],
    ['in a list', '[{"parameters": {"city": "Os'],
    ['with a marker in a text', '{"arguments": {"city": "[TOOL_CALLS]^{}\\""'],
  ])('%s', (_, content) => {
    expect(readCalls(content)).toBe('cut');
  });

  it('are not assumed where no tool takes them', () => {
    const content = '{"arguments": {"mood": "su';
    expect(readReply(content)).toMatchObject({ type: 'final_answer', content, refusals: [] });
  });
});
