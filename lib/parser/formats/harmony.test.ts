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
    'behind thoughts',
    `<|channel|>analysis<|message|>Oslo.<|end|><|start|>assistant<|channel|>commentary to=functions.get_weather<|message|>${args}`,
  ],
  [
    'with its arguments in a list',
    `<|channel|>commentary to=functions.get_weather<|message|>[${args}]<|call|>`,
  ],
])('reads a call %s', (_, content) => {
  expect(readReply(content)).toMatchObject({ calls: [weather()], format: 'harmony', visibleText: '' });
});

it('P4, P18: tells thoughts from the answer', () => {
  const content =
    '<|channel|>analysis<|message|>It is 4.<|end|><|start|>assistant<|channel|>final<|message|>Four.<|return|>';
  expect(readReply(content)).toMatchObject({ type: 'final_answer', content: 'Four.', thinking: 'It is 4.' });
});

it('P15: takes no call that is cut or has no JSON', () => {
  expect(readCalls('<|channel|>commentary to=functions.get_weather<|message|>{"city": "Os')).toBe('cut');
  expect(readCalls('<|channel|>commentary to=functions.get_weather<|message|>')).toBe('cut');
  expect(readCalls('<|channel|>commentary to=functions.get_weather<|message|>Oslo please<|call|>')).toBe(
    'malformed',
  );
});
