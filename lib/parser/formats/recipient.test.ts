import { expect, it } from 'vitest';
import { readReply, weather } from '../testing/read.ts';

it('reads the text and the calls of Functionary 2', () => {
  const content =
    '<|recipient|>all\n<|content|>Let me see.\n<|from|>assistant\n<|recipient|>get_weather\n<|content|>{"city": "Oslo"}<|stop|>';
  expect(readReply(content)).toMatchObject({ calls: [weather()], format: 'functionary-v2' });
  expect(readReply('<|recipient|>all\n<|content|>Hello.<|stop|>')).toMatchObject({
    type: 'final_answer',
    content: 'Hello.',
  });
});
