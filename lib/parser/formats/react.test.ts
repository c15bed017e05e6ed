import { expect, it } from 'vitest';
import { readCalls, readReply, weather } from '../testing/read.ts';

it('reads the lines of a ReAct prompt, and no invented observation', () => {
  const content = 'Thought: Oslo.\nAction: get_weather\nAction Input: {"city": "Oslo"}\nObservation: sunny';
  expect(readReply(content)).toMatchObject({ calls: [weather()], format: 'react' });
});

it('reads text input for the only text parameter when its line is complete', () => {
  expect(readCalls('Action: get_weather\nAction Input: Oslo\n')).toEqual([weather()]);
  expect(readCalls('Action: get_weather\nAction Input: Os')).toBe('final_answer');
});

it('ignores an action that is not a tool [P16]', () => {
  expect(readCalls('Action: fly\nAction Input: {"to": "Oslo"}')).toBe('final_answer');
});

it('reads other keywords only with arguments in braces', () => {
  expect(readCalls('Tool: get_weather\nArguments: {"city": "Oslo"}')).toEqual([weather()]);
  expect(readCalls('**Function Name:** get_weather\n**Parameters:** {"city": "Oslo"}')).toEqual([weather()]);
  expect(readCalls('Tool: get_weather\nInput: Oslo\n')).toBe('final_answer');
});
