import { describe, expect, it } from 'vitest';
import { readReply, weather } from './testing/read.ts';

const call = '{"name": "get_weather", "arguments": {"city": "Oslo"}}';
const seen = (content: string) => {
  const { visibleText, thinking } = readReply(content);
  return [visibleText, thinking];
};

describe('P4, P18: knows the think tags', () => {
  it.each([
    '<think>Hm.</think>',
    '<THINK>Hm.</THINK>',
    '<thinking>Hm.</thinking>',
    '<reasoning>Hm.</reasoning>',
    '<thought>Hm.</thought>',
    '<seed:think>Hm.</seed:think>',
    '<mm:think>Hm.</mm:think>',
    '[THINK]Hm.[/THINK]',
    '<|START_THINKING|>Hm.<|END_THINKING|>',
    '<|inner_prefix|>Hm.<|inner_suffix|>',
    '<|channel>Hm.<channel|>',
    '<|channel|>analysis<|message|>Hm.<|end|>',
    '<|open|>think<|sep|>Hm.<|close|>think<|sep|>',
  ])('%s', (block) => {
    expect(seen(`${block}Answer.`)).toEqual(['Answer.', 'Hm.']);
    expect(readReply(`${block}\n${call}`)).toMatchObject({ calls: [weather()], thinking: 'Hm.' });
  });
});

describe('P5: unbalanced tags', () => {
  it.each([
    ['never closed', 'Answer.<think>Hm.', 'Answer.', 'Hm.'],
    ['never opened', 'Hm.</think>Answer.', 'Answer.', 'Hm.'],
    ['never opened, twice', 'Hm.</think>One.</think>Answer.', 'Answer.', 'Hm.\n\nOne.'],
    ['nested', '<think>a<think>b</think>c</think>Answer.', 'Answer.', 'a<think>b</think>c'],
    ['opened twice', '<think>a <think>b</think>Answer.', 'Answer.', 'a <think>b'],
    ['several', 'One <think>a</think>two <think>b</think>three', 'One two three', 'a\n\nb'],
    ['nothing but thoughts', 'Hm.</think>', '', 'Hm.'],
    ['a word that is no tag', 'A <thinkable> thing, <think of it.', 'A <thinkable> thing, <think of it.', ''],
    ['a word of the answer', 'The <reasoning> tag opens it.', 'The <reasoning> tag opens it.', ''],
    [
      'in inline code',
      'The `<think>` tag opens, `</think>` closes.',
      'The `<think>` tag opens, `</think>` closes.',
      '',
    ],
    ['in a code sample', '```html\n<think>a</think>\n```', '```html\n<think>a</think>\n```', ''],
  ])('%s', (_, content, visible, thoughts) => {
    expect(seen(content)).toEqual([visible, thoughts]);
  });
});

it('P4: a tag within an argument is data', () => {
  const marked = { name: 'get_weather', arguments: { city: 'a <think> b </think> c' } };
  expect(readReply(`${JSON.stringify(marked)} Done.`)).toMatchObject({
    calls: [marked],
    thinking: '',
    visibleText: 'Done.',
  });
});

it('P5: keeps calls that stand between thoughts the template opened', () => {
  const content = `Hm.</think>${call} And then.</think>${call}`;
  expect(readReply(content)).toMatchObject({
    calls: [weather(), weather()],
    thinking: 'Hm.\n\nAnd then.',
    visibleText: '',
  });
});

it('P4: reports a call in thoughts, wherever the thoughts are kept', () => {
  expect(readReply(`<think>${call}</think>`)).toMatchObject({
    type: 'empty',
    refusals: [
      { reason: 'inside-thinking', name: 'get_weather', span: { in: 'content', start: 7, end: 61 } },
    ],
  });
  expect(readReply(`<think>${call}</think>`).malformed).toBeUndefined();
});
