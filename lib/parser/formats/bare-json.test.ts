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
