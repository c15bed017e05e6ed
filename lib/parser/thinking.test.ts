import { describe, expect, it } from 'vitest';
import { readReply, weather } from './testing/read.ts';

const call = '{"name": "get_weather", "arguments": {"city": "Oslo"}}';
const seen = (content: string) => {
  const { visibleText, thinking } = readReply(content);
  return [visibleText, thinking];
};

describe('recognizes every think tag [P4, P18]', () => {
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
    '<think:opensource>Hm.</think:opensource>',
  ])('%s', (block) => {
    expect(seen(`${block}Answer.`)).toEqual(['Answer.', 'Hm.']);
    expect(readReply(`${block}\n${call}`)).toMatchObject({ calls: [weather()], thinking: 'Hm.' });
  });
});

describe('unbalanced tags [P5]', () => {
  it.each([
    ['never closed', 'Answer.<think>Hm.', 'Answer.', 'Hm.'],
    ['never opened', 'Hm.</think>Answer.', 'Answer.', 'Hm.'],
    ['never opened, twice', 'Hm.</think>One.</think>Answer.', 'Answer.', 'Hm.\n\nOne.'],
    ['nested', '<think>a<think>b</think>c</think>Answer.', 'Answer.', 'a<think>b</think>c'],
    ['opened twice', '<think>a <think>b</think>Answer.', 'Answer.', 'a <think>b'],
    ['several', 'One <think>a</think>two <think>b</think>three', 'One two three', 'a\n\nb'],
    ['nothing but thoughts', 'Hm.</think>', '', 'Hm.'],
    [
      'a word that is not a tag',
      'A <thinkable> thing, <think of it.',
      'A <thinkable> thing, <think of it.',
      '',
    ],
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

it('treats a tag inside an argument as data [P4]', () => {
  const marked = { name: 'get_weather', arguments: { city: 'a <think> b </think> c' } };
  expect(readReply(`${JSON.stringify(marked)} Done.`)).toMatchObject({
    calls: [marked],
    thinking: '',
    visibleText: 'Done.',
  });
});

it('keeps calls between think blocks that the template opened [P5]', () => {
  const content = `Hm.</think>${call} And then.</think>${call}`;
  expect(readReply(content)).toMatchObject({
    calls: [weather(), weather()],
    thinking: 'Hm.\n\nAnd then.',
    visibleText: '',
  });
});

it('reports a call inside thinking, in the content or in its own field [P4]', () => {
  expect(readReply(`<think>${call}</think>`)).toMatchObject({
    type: 'empty',
    refusals: [
      { reason: 'inside-thinking', name: 'get_weather', span: { in: 'content', start: 7, end: 61 } },
    ],
  });
  expect(readReply(`<think>${call}</think>`).malformed).toBeUndefined();
});

describe('ends unclosed thinking where only calls follow', () => {
  const kimi =
    '<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{"city": "Oslo"}<|tool_call_end|><|tool_calls_section_end|>';
  const withoutSection = kimi.replaceAll(/<\|tool_calls_section_\w+\|>/g, '');
  const hermes = `<tool_call>\n${call}\n</tool_call>`;

  it.each([
    ['a section of Kimi K2', kimi, 1],
    ['a call of Kimi K2 without its section', withoutSection, 1],
    ['two calls of Kimi K2', withoutSection.replace('<|tool_call_end|>', '').repeat(2), 2],
    ['a call of Qwen 3', `\n${hermes}\n`, 1],
    ['calls of Qwen 3 and the end of a turn', `${hermes}\n${hermes}<|im_end|>`, 2],
    [
      'a call of Qwen 3 Coder',
      '<tool_call>\n<function=get_weather>\n<parameter=city>\nOslo\n</parameter>\n</function>\n</tool_call>',
      1,
    ],
    [
      'a call of GLM',
      '<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Oslo</arg_value>\n</tool_call>',
      1,
    ],
    [
      'a call of DeepSeek V4',
      '<｜DSML｜tool_calls><｜DSML｜invoke name="get_weather"><｜DSML｜parameter name="city" string="true">Oslo</｜DSML｜parameter></｜DSML｜invoke></｜DSML｜tool_calls>',
      1,
    ],
  ])('%s', (_, calls, count) => {
    expect(readReply(`<think>I need the weather.${calls}`)).toMatchObject({
      type: 'tool_calls',
      calls: Array.from({ length: count }, () => weather()),
      thinking: 'I need the weather.',
      visibleText: '',
    });
  });

  it('a call of Gemma 4', () => {
    const content =
      '<|channel>thought\nI need the weather.<|tool_call>call:get_weather{city:<|"|>Oslo<|"|>}<tool_call|>';
    expect(readReply(content)).toMatchObject({ calls: [weather()], visibleText: '' });
    expect(seen('<|channel>thought\nHm.')).toEqual(['', 'thought\nHm.']);
    expect(seen('The <|channel> token opens it.')).toEqual(['The <|channel> token opens it.', '']);
  });

  it('keeps a draft call inside the thinking before the final call', () => {
    const draft = kimi.replace('Oslo', 'Bergen');
    expect(readReply(`<think>First ${draft} and then:\n${kimi}`)).toMatchObject({
      calls: [weather()],
      thinking: `First ${draft} and then:`,
    });
  });

  it.each([
    ['words follow the call', `<think>Maybe ${kimi} or not.`],
    ['the thought is closed', `<think>Maybe ${kimi}</think>`],
    ['the call is cut', `<think>Maybe ${kimi.slice(0, kimi.indexOf('Os'))}`],
    ['the tool was not offered', `<think>Maybe ${kimi.replace('get_weather', 'fly')}`],
    ['the call is bare JSON', `<think>Maybe ${call}`],
    ['the call is an example', `<think>For example, ${hermes}`],
    [
      'the call is a format whose parsers read on',
      `<think>Maybe [TOOL_CALLS]get_weather[ARGS]{"city": "Oslo"}`,
    ],
  ])('does not when %s', (_, content) => {
    expect(readReply(content)).toMatchObject({ type: 'empty', origins: [] });
  });
});
