import { expect, it } from 'vitest';
import { readCalls, readReply, weather } from '../testing/read.ts';

it("reads Mistral's call without its first token", () => {
  expect(readCalls('get_weather[ARGS]{"city": "Oslo"}')).toEqual([weather()]);
  expect(readCalls('get_weather[CALL_ID]a1b2c3[ARGS]{"city": "Oslo"}')).toEqual([weather()]);
  expect(readReply('Let me see. get_weather[ARGS]{"city": "Oslo"}')).toMatchObject({
    calls: [weather()],
    format: 'mistral',
    visibleText: 'Let me see.',
  });
  expect(
    readCalls('[TOOL_CALLS]get_weather[ARGS]{"city": "Oslo"}get_weather[ARGS]{"city": "Bergen"}'),
  ).toEqual([weather(), weather({ city: 'Bergen' })]);
});

it('ignores unknown tools, mentions of the token and cut-off calls', () => {
  expect(readCalls('fly[ARGS]{"to": "Oslo"}')).toBe('final_answer');
  expect(readCalls('Write get_weather[ARGS] and then the arguments.')).toBe('final_answer');
  expect(readCalls('For example, get_weather[ARGS]{"city": "Oslo"} asks for Oslo.')).toBe('code-sample');
  expect(readCalls('get_weather[ARGS]{"city": "Os')).toBe('cut');
});
