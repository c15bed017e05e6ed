import { describe, expect, it } from 'vitest';
import { readCalls, readReply, weather } from '../testing/read.ts';

const json = '{"name": "get_weather", "arguments": {"city": "Oslo"}}';
const other = '{"name": "get_weather", "arguments": {"city": "Bergen"}}';
const two = [weather(), weather({ city: 'Bergen' })];

describe('calls after a marker [P7]', () => {
  it.each([
    ['hermes', `<tool_call>\n${json}\n</tool_call>`],
    ['hermes', `<tool_call>[${json}]</tool_call>`],
    ['hermes', `<tool_call>\n\`\`\`json\n${json}\n\`\`\`\n</tool_call>`],
    ['hermes', `<TOOLCALL>[${json}]</TOOLCALL>`],
    ['jamba', `<tool_calls>[${json}]</tool_calls>`],
    ['granite', `<|tool_call|>[${json}]`],
    ['granite', `<|tool_call|>[${json}]<|/tool_call|>`],
    ['granite-tag', `<function_call> ${json}`],
    ['llama3', '<|python_tag|>{"name": "get_weather", "parameters": {"city": "Oslo"}}<|eom_id|>'],
    ['llama3', '<|python_tag|>get_weather.call(city="Oslo")'],
    [
      'command-r',
      '<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "get_weather", "parameters": {"city": "Oslo"}}]<|END_ACTION|>',
    ],
    [
      'internlm',
      '<|action_start|><|plugin|>\n{"name": "get_weather", "parameters": {"city": "Oslo"}}<|action_end|>',
    ],
    ['apertus', '<|tools_prefix|>[{"get_weather": {"city": "Oslo"}}]<|tools_suffix|>'],
    ['gigachat', `<|function_call|>${json}`],
    ['mistral', `[TOOL_CALLS] [${json}]`],
    ['mistral', `[TOOL_CALLS] ${json}[/TOOL_CALLS]`],
    ['mistral', '[TOOL_CALLS]get_weather[CALL_ID]a1B2[ARGS]{"city": "Oslo"}'],
    ['mistral', '[TOOL_CALLS]get_weather{"city": "Oslo"}'],
    ['mistral', `[TOOL_CALLS] json [${json}]`],
    [
      'kimi-k2',
      '<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{"city": "Oslo"}<|tool_call_end|><|tool_calls_section_end|>',
    ],
    [
      'deepseek',
      '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n{"city": "Oslo"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    ],
    ['deepseek', '<｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{"city": "Oslo"}<｜tool▁call▁end｜>'],
    [
      'deepseek',
      '<｜tool▁calls▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n{"city": "Oslo"}\n```<｜tool▁calls▁end｜>',
    ],
    [
      'deepseek-dsml',
      '<｜DSML｜function_calls><｜DSML｜invoke name="get_weather"><｜DSML｜parameter name="city" string="true">Oslo</｜DSML｜parameter></｜DSML｜invoke></｜DSML｜function_calls>',
    ],
    [
      'step3',
      '<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="get_weather"><steptml:parameter name="city">Oslo</steptml:parameter></steptml:invoke><｜tool_call_end｜>',
    ],
    ['lfm2', "<|tool_call_start|>[get_weather(city='Oslo')]<|tool_call_end|>"],
    ['llama4', "<|python_start|>[get_weather(city='Oslo')]<|python_end|>"],
    ['olmo3', "<function_calls>get_weather(city='Oslo')</function_calls>"],
    [
      'qwen3-coder',
      '<tool_call>\n<function=get_weather>\n<parameter=city>\nOslo\n</parameter>\n</function>\n</tool_call>',
    ],
    [
      'seed-oss',
      '<seed:tool_call><function=get_weather><parameter=city>Oslo</parameter></function></seed:tool_call>',
    ],
    [
      'minimax',
      '<minimax:tool_call><invoke name="get_weather"><parameter name="city">Oslo</parameter></invoke></minimax:tool_call>',
    ],
    [
      'anthropic-xml',
      '<function_calls><invoke name="get_weather"><parameter name="city">Oslo</parameter></invoke></function_calls>',
    ],
    ['glm', '<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Oslo</arg_value></tool_call>'],
    ['laguna', '<tool_call>get_weather\n{"city": "Oslo"}</tool_call>'],
    [
      'hunyuan',
      '<tool_calls>get_weather<tool_sep><arg_key>city</arg_key><arg_value>Oslo</arg_value></tool_calls>',
    ],
    [
      'glm',
      '<tool_calls:opensource><tool_call:opensource>get_weather<tool_sep:opensource><arg_key:opensource>city</arg_key:opensource><arg_value:opensource>Oslo</arg_value:opensource></tool_call:opensource></tool_calls:opensource>',
    ],
    [
      'longcat',
      '<longcat_tool_call>get_weather\n<longcat_arg_key>city</longcat_arg_key>\n<longcat_arg_value>Oslo</longcat_arg_value></longcat_tool_call>',
    ],
    ['functiongemma', '<start_function_call>call:get_weather{city:<escape>Oslo<escape>}<end_function_call>'],
    ['gemma4', '<|tool_call>call:get_weather{city:<|"|>Oslo<|"|>}<tool_call|>'],
    ['gemma4', '<|tool_call>:call:get_weather{city:<|"|>Oslo<|"|>}<tool_call|>'],
    ['gemma4', '<|tool_call>call::get_weather{city:<|"|>Oslo<|"|>}<turn|>'],
    ['gemma4', '<|tool_call>get_weather{city:<|"|>Oslo<|"|>}<tool_call|>'],
    [
      'inkling',
      '<|content_invoke_tool_json|>{"name": "get_weather", "args": {"city": "Oslo"}}<|end_message|>',
    ],
  ])('%s: %s', (format, content) => {
    expect(readReply(`Let me see.\n${content}`)).toMatchObject({
      type: 'tool_calls',
      calls: [weather()],
      layer: 'xml',
      format,
      visibleText: 'Let me see.',
    });
  });
});

describe('reads a call without arguments', () => {
  it.each([
    ['hunyuan', '<tool_calls><tool_call>list_directory<tool_sep></tool_call></tool_calls>'],
    ['hunyuan, in lines', '<tool_calls>\n<tool_call>list_directory<tool_sep>\n</tool_call>\n</tool_calls>'],
    ['hunyuan, decorated', '<tool_call:x>list_directory<tool_sep:x></tool_call:x>'],
    ['glm', '<tool_call>list_directory\n</tool_call>'],
    ['kimi-k2', '<|tool_call_begin|>functions.list_directory:0<|tool_call_argument_begin|><|tool_call_end|>'],
    ['mistral', '[TOOL_CALLS]list_directory[ARGS]{}'],
    ['gemma4', '<|tool_call>call:list_directory{}<tool_call|>'],
  ])('%s', (_, content) => {
    expect(readReply(`Let me see.\n${content}`)).toMatchObject({
      calls: [{ name: 'list_directory', arguments: {} }],
      visibleText: 'Let me see.',
    });
  });

  it('does not read one that is not closed', () => {
    expect(readReply('<tool_call>list_directory<tool_sep>').type).toBe('final_answer');
  });
});

it('reads escaped line breaks between the tags', () => {
  const content =
    '<tool_call>get_weather\\n<arg_key>city</arg_key>\\n<arg_value>Oslo</arg_value>\\n</tool_call>';
  expect(readCalls(content)).toEqual([weather()]);
});

it('treats a closing tag followed by words as part of the value', () => {
  const invoke = (value: string) =>
    `<minimax:tool_call><invoke name="get_weather"><parameter name="city">${value}</parameter><parameter name="days">2</parameter></invoke></minimax:tool_call>`;
  for (const city of ['Oslo </parameter> or </parameter> so', 'Oslo'])
    expect(readCalls(invoke(city))).toEqual([weather({ city, days: 2 })]);
});

describe('a value that starts directly after its tag', () => {
  const write = (text: string, marker: string) =>
    readCalls(
      `<${marker}>\n<function=write_file>\n<parameter=path>a.txt</parameter>\n<parameter=content>${text}</parameter>\n</function>\n</${marker}>`,
    );
  const written = (content: string) => [{ name: 'write_file', arguments: { path: 'a.txt', content } }];

  it('keeps its last line break where the family adds none around values (Seed-OSS)', () => {
    expect(write('one\ntwo\n', 'seed:tool_call')).toEqual(written('one\ntwo\n'));
    expect(write('one\ntwo\n\n', 'seed:tool_call')).toEqual(written('one\ntwo\n'));
    expect(write('one\n', 'seed:tool_call')).toEqual(written('one'));
    expect(write('\none\ntwo\n', 'seed:tool_call')).toEqual(written('one\ntwo'));
  });

  it('loses its last line break where the family adds one at each end', () => {
    expect(write('one\ntwo\n', 'tool_call')).toEqual(written('one\ntwo'));
  });
});

it('finds the tool by its arguments where Kimi writes only the number of the call', () => {
  const numbered = (args: string) =>
    readCalls(`<|tool_call_begin|>0<|tool_call_argument_begin|>${args}<|tool_call_end|>`);
  expect(numbered('{"city": "Oslo", "days": 2}')).toEqual([weather({ city: 'Oslo', days: 2 })]);
  expect(numbered('{"colour": "red"}')).toEqual([{ name: '0', arguments: { colour: 'red' } }]);
});

describe('several calls [P7]', () => {
  it.each([
    ['each in its own tags', `<tool_call>${json}</tool_call>\n<tool_call>${other}</tool_call>`],
    ['in one tag', `<tool_call>\n${json}\n${other}\n</tool_call>`],
    ['in one list', `<tool_call>[${json}, ${other}]</tool_call>`],
    ['after one python tag', `<|python_tag|>${json}; ${other}`],
    ['the opener where a closer belongs', `<tool_call>${json}<tool_call>${other}<tool_call>`],
    [
      'the marker twice',
      '[TOOL_CALLS]get_weather[ARGS]{"city": "Oslo"}[TOOL_CALLS]get_weather[ARGS]{"city": "Bergen"}',
    ],
    ['in one list without a comma', `<|START_ACTION|>[${json}${other}]<|END_ACTION|>`],
    ['one per line', "<function_calls>get_weather(city='Oslo')\nget_weather(city='Bergen')</function_calls>"],
    [
      'one per function element',
      '<tool_call><function=get_weather><parameter=city>Oslo</parameter></function><function=get_weather><parameter=city>Bergen</parameter></function></tool_call>',
    ],
  ])('%s', (_, content) => {
    expect(readCalls(content)).toEqual(two);
  });
});

describe('damage around a call [P15]', () => {
  it.each([
    ['no closing tag', `<tool_call>${json}\nI wait for the result.`],
    ['a closing tag cut off', `<tool_call>${json}</tool_c`],
    ['a brace too many', `<tool_call>${json}}</tool_call>`],
    ['a brace missing', `<tool_call>${json.slice(0, -1)}</tool_call>`],
    ['all closers missing', `<tool_call>${json.slice(0, -2)}`],
    ['no opening tag', `${json}\n</tool_call>`],
    ['a think closer before the tag closes', `<tool_call>${json}</think></tool_call>`],
  ])('%s', (_, content) => {
    expect(readCalls(content)).toEqual([weather()]);
  });

  it('keeps good calls next to a broken one, even in one list', () => {
    expect(
      readCalls(
        `<tool_call>{"name": "get_weather", "arguments": {"city": }}</tool_call><tool_call>${json}</tool_call>`,
      ),
    ).toEqual([weather()]);
    expect(readCalls(`[TOOL_CALLS] [{"name": "get_weather", "arguments": {"days": 1:2}}, ${json}]`)).toEqual([
      weather(),
    ]);
    expect(readCalls(`[TOOL_CALLS] [${json}, {"name": "get_weather", "arguments": {"ci`)).toEqual([
      weather(),
    ]);
  });

  it('repairs unescaped quotes, but never across the closing tag', () => {
    expect(
      readCalls(
        '<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo "centre" north"}}</tool_call>',
      ),
    ).toEqual([weather({ city: 'Oslo "centre" north' })]);
    const swallowing = `<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo}}</tool_call>\n<tool_call>${other}</tool_call>`;
    expect(readCalls(swallowing)).toEqual([weather({ city: 'Bergen' })]);
  });
});

describe('markers without a call [P15]', () => {
  it.each([
    ['malformed', '<tool_call>{bad}</tool_call>'],
    ['malformed', '<tool_call>\nthe weather in Oslo\n</tool_call>'],
    ['malformed', `<tool_call>${json} is what I would call</tool_call>`],
    ['malformed', '<tool_call>{"arguments": {"city": "Oslo"}}</tool_call>'],
    ['malformed', '<tool_call><function><parameter=city>Oslo</parameter></function></tool_call>'],
    ['cut', '<tool_call>'],
    ['cut', '<tool_call>{"name": "get_wea'],
    ['cut', '[TOOL_CALLS] [{"name": "get_weather"'],
    ['final_answer', 'The [TOOL_CALLS] marker and the <tool_call> tag announce calls.'],
  ])('%s: %s', (outcome, content) => {
    expect(readCalls(content)).toBe(outcome);
  });
});

it('passes unknown names on [P16]', () => {
  expect(readCalls('<tool_call>{"name": "fly", "arguments": {"to": "Oslo"}}</tool_call>')).toEqual([
    { name: 'fly', arguments: { to: 'Oslo' } },
  ]);
});

it('does not end a call at a closing tag inside an argument', () => {
  const call = weather({ city: 'a </tool_call> b <tool_call> c' });
  expect(readCalls(`<tool_call>${JSON.stringify(call)}</tool_call>`)).toEqual([call]);
});

it('hides invented results after a call', () => {
  const content = `<tool_call>${json}</tool_call>\n<tool_response>\n{"temperature": 3}\n</tool_response>\nIt is cold.`;
  expect(readReply(content)).toMatchObject({ calls: [weather()], visibleText: 'It is cold.' });
});
