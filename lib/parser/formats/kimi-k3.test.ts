import { expect, it } from 'vitest';
import { readCalls, readReply, weather } from '../testing/read.ts';

const argument = (key: string, value: string) =>
  `<|open|>argument key="${key}" type="x"<|sep|>${value}<|close|>argument<|sep|>`;
const call = (inner: string) =>
  `<|open|>call tool="get_weather" index="1"<|sep|>${inner}<|close|>call<|sep|>`;

it('reads calls and leaves no token in the text', () => {
  const content = `<|open|>tools<|sep|>${call(argument('city', 'Oslo') + argument('days', '3'))}${call(argument('city', 'Bergen'))}<|close|>tools<|sep|>`;
  expect(readReply(content)).toMatchObject({
    calls: [weather({ city: 'Oslo', days: 3 }), weather({ city: 'Bergen' })],
    format: 'kimi-k3',
    visibleText: '',
  });
});

it('reads thinking [P4]', () => {
  expect(readReply('<|open|>think<|sep|>Hm.<|close|>think<|sep|>Hello.')).toMatchObject({
    content: 'Hello.',
    thinking: 'Hm.',
  });
});

it('refuses a cut-off call [P15]', () => {
  expect(readCalls('<|open|>call tool="get_weather"<|sep|><|open|>argument key="city"<|sep|>Os')).toBe('cut');
  expect(readCalls('<|open|>call tool="get_weather"<|sep|>')).toBe('cut');
});
