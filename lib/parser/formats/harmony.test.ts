import { expect, it } from 'vitest';
import { readCalls, readReply, weather } from '../testing/read.ts';

const args = '{"city": "Oslo"}';

it.each([
  [
    'on commentary',
    `<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>${args}<|call|>`,
  ],
  ['on analysis', `<|channel|>analysis to=functions.get_weather <|constrain|>json<|message|>${args}<|call|>`],
  [
    'addressed before the channel',
    `<|start|>assistant to=functions.get_weather<|channel|>commentary json<|message|>${args}<|call|>`,
  ],
  [
    'after thinking',
    `<|channel|>analysis<|message|>Oslo.<|end|><|start|>assistant<|channel|>commentary to=functions.get_weather<|message|>${args}`,
  ],
  [
    'addressed before the channel, the role kept by the prompt',
    ` to=functions.get_weather<|channel|>analysis<|message|>${args}`,
  ],
  [
    'addressed after the role alone',
    `assistant to=functions.get_weather<|channel|>commentary <|constrain|>json<|message|>${args}<|call|>`,
  ],
  [
    'addressed with a word too many',
    `to=functions.get_weather code<|channel|>commentary json<|message|>${args}<|call|>`,
  ],
  [
    'addressed before the channel after thinking',
    `<|channel|>analysis<|message|>Oslo.<|end|>assistant to=functions.get_weather<|channel|>commentary<|message|>${args}`,
  ],
  [
    'with its arguments in a list',
    `<|channel|>commentary to=functions.get_weather<|message|>[${args}]<|call|>`,
  ],
])('reads a call %s', (_, content) => {
  expect(readReply(content)).toMatchObject({ calls: [weather()], format: 'harmony', visibleText: '' });
});

it('separates thinking from the answer [P4, P18]', () => {
  const content =
    '<|channel|>analysis<|message|>It is 4.<|end|><|start|>assistant<|channel|>final<|message|>Four.<|return|>';
  expect(readReply(content)).toMatchObject({ type: 'final_answer', content: 'Four.', thinking: 'It is 4.' });
});

it('reads a call without arguments once it is closed', () => {
  const header = '<|channel|>commentary to=functions.list_directory<|message|>';
  expect(readCalls(`${header}<|call|>`)).toEqual([{ name: 'list_directory', arguments: {} }]);
  expect(readCalls(header)).toBe('cut');
});

it('treats a recipient inside a sentence as text', () => {
  expect(readReply('Sent to=functions.get_weather <|channel|>final<|message|>Done.')).toMatchObject({
    type: 'final_answer',
    content: 'Sent to=functions.get_weather Done.',
  });
  expect(readCalls('The header is to=functions.get_weather here.')).toBe('final_answer');
});

it('refuses a call that is cut off or has no JSON [P15]', () => {
  expect(readCalls('<|channel|>commentary to=functions.get_weather<|message|>{"city": "Os')).toBe('cut');
  expect(readCalls('<|channel|>commentary to=functions.get_weather<|message|>')).toBe('cut');
  expect(readCalls('<|channel|>commentary to=functions.get_weather<|message|>Oslo please<|call|>')).toBe(
    'malformed',
  );
});
