import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../util/json.ts';
import { parseToolCalls } from './parse-tool-calls.ts';
import { tool } from './testing/tools.ts';

const TOOLS = [
  tool(
    'get_weather',
    {
      city: { type: 'string' },
      days: { type: 'integer' },
      hourly: { type: 'boolean' },
      fields: { type: 'array', items: { type: 'string' } },
      unit: { type: 'string', enum: ['celsius', 'fahrenheit'] },
    },
    ['city'],
  ),
  tool(
    'send_mail',
    {
      to: { type: 'array', items: { type: 'string' } },
      subject: { type: 'string' },
      body: { type: 'string' },
      priority: { type: 'number' },
      meta: { type: 'object' },
    },
    ['to', 'subject'],
  ),
  tool('list_files', { path: { type: 'string' }, recursive: { type: 'boolean' } }),
  tool('write_file', { path: { type: 'string' }, content: { type: 'string' } }, ['path', 'content']),
  tool('now'),
  tool('db.query', { sql: { type: 'string' }, limit: { type: ['integer', 'null'] } }, ['sql']),
  tool('web-search', { query: { type: 'string' } }, ['query']),
];

type Expected = [name: string, given: JsonObject][] | 'malformed' | 'no call';

/** Replies of all kinds, as models might write them, with the expected reading of each. */
const SAMPLES: { [kind: string]: [text: string, expected: Expected][] } = {
  'bare JSON': [
    [
      'Sure!\n\n{"name" : "get_weather" , "arguments" : { "city" : "Oslo" } }\n\nLet me know.',
      [['get_weather', { city: 'Oslo' }]],
    ],
    [
      '{"name":"get_weather","arguments":{"city":"Oslo"}}{"name":"get_weather","arguments":{"city":"Bergen"}}',
      [
        ['get_weather', { city: 'Oslo' }],
        ['get_weather', { city: 'Bergen' }],
      ],
    ],
    [
      '{"name":"get_weather","arguments":{"city":"Oslo"}},\n{"name":"get_weather","arguments":{"city":"Bergen"}}',
      [
        ['get_weather', { city: 'Oslo' }],
        ['get_weather', { city: 'Bergen' }],
      ],
    ],
    [
      '{"name":"get_weather","arguments":{"city":"Oslo"}};{"name":"now","arguments":{}}',
      [
        ['get_weather', { city: 'Oslo' }],
        ['now', {}],
      ],
    ],
    ['{"function":{"name":"get_weather","arguments":{"city":"Oslo"}}}', [['get_weather', { city: 'Oslo' }]]],
    [
      '{"type":"function","function":{"name":"get_weather","arguments":"{\\"city\\":\\"Oslo\\"}"},"id":"call_1"}',
      [['get_weather', { city: 'Oslo' }]],
    ],
    ['{"function":"get_weather","arguments":{"city":"Oslo"}}', [['get_weather', { city: 'Oslo' }]]],
    ['{"tool_name":"get_weather","tool_input":{"city":"Oslo"}}', [['get_weather', { city: 'Oslo' }]]],
    [
      '{"thought":"I need it","action":"get_weather","action_input":{"city":"Oslo"}}',
      [['get_weather', { city: 'Oslo' }]],
    ],
    ['{"tool":"get_weather","parameters":{"city":"Oslo"}}', [['get_weather', { city: 'Oslo' }]]],
    ['{"tool_call":{"name":"get_weather","arguments":{"city":"Oslo"}}}', [['get_weather', { city: 'Oslo' }]]],
    [
      '{"calls":[{"name":"get_weather","arguments":{"city":"Oslo"}},{"name":"now","arguments":{}}]}',
      [
        ['get_weather', { city: 'Oslo' }],
        ['now', {}],
      ],
    ],
    [
      '{"name":"get_weather","arguments":{"city":"Oslo","days":"3","hourly":"True","fields":"[\\"rain\\",\\"wind\\"]"}}',
      [['get_weather', { city: 'Oslo', days: 3, hourly: true, fields: ['rain', 'wind'] }]],
    ],
    [
      '{"name":"get_weather","arguments":{"city":"Oslo","unit":"Celsius"}}',
      [['get_weather', { city: 'Oslo', unit: 'celsius' }]],
    ],
    ['{"name":"get_weather","arguments":{"city":"Oslo","days":null}}', [['get_weather', { city: 'Oslo' }]]],
    ['{"name":"get_weather","arguments":{"city":"Oslo",},}', [['get_weather', { city: 'Oslo' }]]],
    ["{'name':'get_weather','arguments':{'city':'L\\'Aquila'}}", [['get_weather', { city: "L'Aquila" }]]],
    ['{name: "get_weather", arguments: {city: "Oslo"}}', [['get_weather', { city: 'Oslo' }]]],
    ['{"name":"get_weather","arguments":{"city":"Oslo"}', [['get_weather', { city: 'Oslo' }]]],
    ['{"name":"get_weather","arguments":{"city":"Os', 'malformed'],
    ['{"name":"get_weather","arguments":{"city":"Oslo" /* capital */}}', [['get_weather', { city: 'Oslo' }]]],
    ['{"name":"get_weather","arguments":{"city":"東京 🌧️"}}', [['get_weather', { city: '東京 🌧️' }]]],
    ['{"name":"get_weather","arguments":{"city":"\\u6771\\u4eac"}}', [['get_weather', { city: '東京' }]]],
    ['{“name”: “get_weather”, “arguments”: {“city”: “Oslo”}}', [['get_weather', { city: 'Oslo' }]]],
    [
      '{"name":"write_file","arguments":{"path":"a.py","content":"print(\\"hi\\")\nprint(2)\n"}}',
      [['write_file', { path: 'a.py', content: 'print("hi")\nprint(2)\n' }]],
    ],
    ['{"name":"get_weather","arguments":[{"city":"Oslo"}]}', [['get_weather', { city: 'Oslo' }]]],
    ['{"name":"now"}', [['now', {}]]],
    ['{"name":"now","arguments":null}', [['now', {}]]],
    ['{"name":"GET_WEATHER","arguments":{"city":"Oslo"}}', [['get_weather', { city: 'Oslo' }]]],
    ['{"name":"functions.get_weather","arguments":{"city":"Oslo"}}', [['get_weather', { city: 'Oslo' }]]],
    [
      '{"name":"db.query","arguments":{"sql":"select 1","limit":"null"}}',
      [['db.query', { sql: 'select 1', limit: null }]],
    ],
    ['{"name":"web-search","arguments":"cats"}', [['web-search', { query: 'cats' }]]],
    [
      '[{"name":"get_weather","arguments":{"city":"Oslo"}}, {"name":"get_weather","arguments":{"city":"Bergen"}}]',
      [
        ['get_weather', { city: 'Oslo' }],
        ['get_weather', { city: 'Bergen' }],
      ],
    ],
    ['{"name":"get_weather","arguments":{"city":"Oslo"}}]', [['get_weather', { city: 'Oslo' }]]],
    ['{"name":"get_weather","arguments":{"city":"Oslo"}}}', [['get_weather', { city: 'Oslo' }]]],
    [
      '{"id":"1","name":"get_weather","input":{"city":"Oslo"},"type":"tool_use"}',
      [['get_weather', { city: 'Oslo' }]],
    ],
    [
      '{"recipient_name":"functions.get_weather","parameters":{"city":"Oslo"}}',
      [['get_weather', { city: 'Oslo' }]],
    ],
    [
      '{"tool_uses":[{"recipient_name":"functions.get_weather","parameters":{"city":"Oslo"}},{"recipient_name":"functions.now","parameters":{}}]}',
      [
        ['get_weather', { city: 'Oslo' }],
        ['now', {}],
      ],
    ],
    [
      '{"name":"send_mail","arguments":{"to":"[\\"a@b.c\\"]","subject":"x","meta":"{\\"k\\":1}","priority":"1.5"}}',
      [['send_mail', { to: ['a@b.c'], subject: 'x', meta: { k: 1 }, priority: 1.5 }]],
    ],
    ['Here is the data: {"name":"Anna","age":3}', 'no call'],
    ['{"name":"teleport","arguments":{"to":"Oslo"}}', 'no call'],
    [
      '{"name":"get_weather","description":"Weather","parameters":{"type":"object","properties":{"city":{"type":"string"}}}}',
      'no call',
    ],
    ['{"name":"get_weather","result":{"city":"Oslo","temp":3}}', 'no call'],
    ['﻿{"name":"get_weather","arguments":{"city":"Oslo"}}', [['get_weather', { city: 'Oslo' }]]],
    ['{"name":"get_weather",\r\n"arguments":\r\n{"city":"Oslo"}}\r\n', [['get_weather', { city: 'Oslo' }]]],
    [
      '**Tool call:** {"name":"get_weather","arguments":{"city":"Oslo"}}',
      [['get_weather', { city: 'Oslo' }]],
    ],
    ['{"name":"get_weather","kwargs":{"city":"Oslo"}}', [['get_weather', { city: 'Oslo' }]]],
  ],
  fences: [
    [
      'I call it:\n```json\n{"name":"get_weather","arguments":{"city":"Oslo"}}\n```\nDone.',
      [['get_weather', { city: 'Oslo' }]],
    ],
    [
      '```json\n[{"name":"get_weather","arguments":{"city":"Oslo"}},{"name":"now","arguments":{}}]\n```',
      [
        ['get_weather', { city: 'Oslo' }],
        ['now', {}],
      ],
    ],
    [
      '```json\n{"name":"get_weather","arguments":{"city":"Oslo"}}\n```\n```json\n{"name":"now","arguments":{}}\n```',
      [
        ['get_weather', { city: 'Oslo' }],
        ['now', {}],
      ],
    ],
    ['```JSON\n{"name":"get_weather","arguments":{"city":"Oslo"}}\n```', [['get_weather', { city: 'Oslo' }]]],
    ['~~~json\n{"name":"get_weather","arguments":{"city":"Oslo"}}\n~~~', [['get_weather', { city: 'Oslo' }]]],
    [
      '```tool_call\n{"name":"get_weather","arguments":{"city":"Oslo"}}\n```',
      [['get_weather', { city: 'Oslo' }]],
    ],
    ['```json\n{"name":"get_weather","arguments":{"city":"Oslo"}}', [['get_weather', { city: 'Oslo' }]]],
    [
      '```xml\n<tool_call>{"name":"get_weather","arguments":{"city":"Oslo"}}</tool_call>\n```',
      [['get_weather', { city: 'Oslo' }]],
    ],
    ['```python\nget_weather(city="Oslo")\n```', 'no call'],
    [
      '```tool_code\nget_weather(city="Oslo", days=3)\nnow()\n```',
      [
        ['get_weather', { city: 'Oslo', days: 3 }],
        ['now', {}],
      ],
    ],
    ["```tool_code\nprint(get_weather(city='Oslo'))\n```", [['get_weather', { city: 'Oslo' }]]],
    [
      '   ```json\n   {"name":"get_weather","arguments":{"city":"Oslo"}}\n   ```',
      [['get_weather', { city: 'Oslo' }]],
    ],
    [
      '```\n<function=get_weather><parameter=city>Oslo</parameter></function>\n```',
      [['get_weather', { city: 'Oslo' }]],
    ],
    ['```bash\ncurl -d \'{"name":"get_weather","arguments":{"city":"Oslo"}}\' http://x\n```', 'no call'],
    ['```tool_use\n{"name":"get_weather","input":{"city":"Oslo"}}\n```', [['get_weather', { city: 'Oslo' }]]],
    [
      '```action\n{"action":"get_weather","action_input":{"city":"Oslo"}}\n```',
      [['get_weather', { city: 'Oslo' }]],
    ],
  ],
  'behind <tool_call>': [
    [
      '<tool_call>{"name":"get_weather","arguments":{"city":"Oslo"}}<tool_call>',
      [['get_weather', { city: 'Oslo' }]],
    ],
    [
      '<tool_call>\n{"name":"get_weather","arguments":{"city":"Oslo"}}\n{"name":"now","arguments":{}}\n</tool_call>',
      [
        ['get_weather', { city: 'Oslo' }],
        ['now', {}],
      ],
    ],
    [
      '<tool_call>{"name":"get_weather","arguments":{"city":"Oslo"}}</tool_call><tool_call>{"name":"now","arguments":{}}',
      [
        ['get_weather', { city: 'Oslo' }],
        ['now', {}],
      ],
    ],
    [
      '<tool_call>{"name":"get_weather","arguments":{"city":"</tool_call>"}}</tool_call>',
      [['get_weather', { city: '</tool_call>' }]],
    ],
    [
      '<tool_call>{"name":"get_weather","arguments":{"city":"Oslo"}}</tool_call><tool_response>{"t":3}</tool_response>It is 3.',
      [['get_weather', { city: 'Oslo' }]],
    ],
    [
      '<think>hm</think><tool_call>{"name":"get_weather","arguments":{"city":"Oslo"}}</tool_call>',
      [['get_weather', { city: 'Oslo' }]],
    ],
    ['<think>I could <tool_call>{"name":"now","arguments":{}}</tool_call></think>The answer.', 'no call'],
    [
      '<tool_call>{"arguments":{"city":"Oslo"},"name":"get_weather"}</tool_call>',
      [['get_weather', { city: 'Oslo' }]],
    ],
    [
      '<tool_call>{"name":"get_weather","arguments":"{\\"city\\": \\"Oslo\\"}"}</tool_call>',
      [['get_weather', { city: 'Oslo' }]],
    ],
    [
      '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_calls>',
      [['get_weather', { city: 'Oslo' }]],
    ],
    [
      '<Tool_Call>{"name":"get_weather","arguments":{"city":"Oslo"}}</Tool_Call>',
      [['get_weather', { city: 'Oslo' }]],
    ],
    [
      '<tool_call>{"name":"get_weather","arguments":{"city":"Oslo"}</tool_call>',
      [['get_weather', { city: 'Oslo' }]],
    ],
    ['<tool_call>{"name":"get_weather","arguments":{"city":"Oslo}}</tool_call>', 'malformed'],
    ['<tool_call>{"name":"fly","arguments":{"to":"Oslo"}}</tool_call>', [['fly', { to: 'Oslo' }]]],
    [
      '<tool_call>{"name":"get_weather","arguments":{"city":"a "quoted" b"}}</tool_call>',
      [['get_weather', { city: 'a "quoted" b' }]],
    ],
    [
      '<|tool_call|>{"name":"get_weather","arguments":{"city":"Oslo"}}<|/tool_call|>',
      [['get_weather', { city: 'Oslo' }]],
    ],
    [
      '<tools>{"name":"get_weather","arguments":{"city":"Oslo"}}</tools>',
      [['get_weather', { city: 'Oslo' }]],
    ],
    ['<tool>{"name":"get_weather","arguments":{"city":"Oslo"}}</tool>', [['get_weather', { city: 'Oslo' }]]],
    [
      '<function_call>{"name":"get_weather","arguments":{"city":"Oslo"}}</function_call>',
      [['get_weather', { city: 'Oslo' }]],
    ],
    ['<tool_call>get_weather(city="Oslo")</tool_call>', [['get_weather', { city: 'Oslo' }]]],
    [
      '<tool_call>\n```json\n{"name":"get_weather","arguments":{"city":"Oslo"}}\n```\n</tool_call>',
      [['get_weather', { city: 'Oslo' }]],
    ],
    [
      '<tool_call>[{"name":"get_weather","arguments":{"city":"Oslo"}},{"name":"now"}]</tool_call>',
      [
        ['get_weather', { city: 'Oslo' }],
        ['now', {}],
      ],
    ],
    ['<tool_call> </tool_call>', 'malformed'],
    [
      '<tool_call>{"name":"get_weather","arguments":{"city":"Oslo"}},{"name":"now","arguments":{}}</tool_call>',
      [
        ['get_weather', { city: 'Oslo' }],
        ['now', {}],
      ],
    ],
    [
      '< tool_call >{"name":"get_weather","arguments":{"city":"Oslo"}}</ tool_call >',
      [['get_weather', { city: 'Oslo' }]],
    ],
    ['<tool_call name="get_weather">{"city":"Oslo"}</tool_call>', [['get_weather', { city: 'Oslo' }]]],
    ['The tag <tool_call> is used to call tools.', 'no call'],
    [
      '<tool_call>{"name":"get_weather","arguments":{"city":"Oslo"}}</tool_call>\n\n<tool_call>{"name":"get_weather","arguments":{"city":"Ber',
      [['get_weather', { city: 'Oslo' }]],
    ],
  ],
  'function and invoke elements': [
    [
      '<function=get_weather><parameter=city>Oslo</parameter><parameter=days>3</parameter></function>',
      [['get_weather', { city: 'Oslo', days: 3 }]],
    ],
    [
      '<tool_call>\n<function=get_weather>\n<parameter=city>\nOslo\n</parameter>\n<parameter=fields>\n["rain"]\n</parameter>\n</function>\n</tool_call>',
      [['get_weather', { city: 'Oslo', fields: ['rain'] }]],
    ],
    [
      '<tool_call>\n<function=get_weather>\n<parameter=city>\nOslo\n<parameter=days>\n3\n</parameter>\n</function>\n</tool_call>',
      [['get_weather', { city: 'Oslo', days: 3 }]],
    ],
    [
      '<function="get_weather"><parameter="city">Oslo</parameter></function>',
      [['get_weather', { city: 'Oslo' }]],
    ],
    [
      '<tool_call><function=write_file><parameter=path>a.html</parameter><parameter=content>\n<p>x &lt; y</p>\n</parameter></function></tool_call>',
      [['write_file', { path: 'a.html', content: '<p>x &lt; y</p>' }]],
    ],
    ['<function=now></function>', [['now', {}]]],
    [
      '<function=get_weather>\n<parameter=city>Oslo</parameter>\n</function>\n<function=now>\n</function>',
      [
        ['get_weather', { city: 'Oslo' }],
        ['now', {}],
      ],
    ],
    [
      '<tool_call><function=get_weather><parameter=city>Oslo</parameter></tool_call>',
      [['get_weather', { city: 'Oslo' }]],
    ],
    [
      '<function name="get_weather"><parameter name="city">Oslo</parameter></function>',
      [['get_weather', { city: 'Oslo' }]],
    ],
    [
      '<function=get_weather><parameter=hourly>True</parameter><parameter=city>Oslo</parameter></function>',
      [['get_weather', { hourly: true, city: 'Oslo' }]],
    ],
    ['<function=get_weather>{"city":"Oslo"}</function>', [['get_weather', { city: 'Oslo' }]]],
    ['<function=get_weather>{"city": "Oslo"}', [['get_weather', { city: 'Oslo' }]]],
    ['<function=get_weather><parameter=city>Os', 'malformed'],
    ['function=get_weather>\n<parameter=city>\nOslo\n</parameter>\n</function>', 'no call'],
    [
      '<invoke name="get_weather"><parameter name="city">Oslo</parameter></invoke>',
      [['get_weather', { city: 'Oslo' }]],
    ],
    [
      '<function_calls><invoke name="get_weather"><parameter name="city">Oslo</parameter></invoke></function_calls>',
      [['get_weather', { city: 'Oslo' }]],
    ],
    [
      '<minimax:tool_call>\n<invoke name="get_weather"><parameter name="city">Oslo</parameter></invoke>\n<invoke name="now"></invoke>\n</minimax:tool_call>',
      [
        ['get_weather', { city: 'Oslo' }],
        ['now', {}],
      ],
    ],
    [
      '<invoke name="get_weather"><parameter name="city">Oslo</parameter><parameter name="days">3</parameter></invoke>',
      [['get_weather', { city: 'Oslo', days: 3 }]],
    ],
    [
      '<seed:tool_call><function=get_weather><parameter=city>Oslo</parameter></function></seed:tool_call>',
      [['get_weather', { city: 'Oslo' }]],
    ],
    [
      '<tool_call>\n<function=get_weather>\n<parameter=city>Oslo</parameter>\n<parameter=days>three</parameter>\n</function>\n</tool_call>',
      [['get_weather', { city: 'Oslo', days: 'three' }]],
    ],
    [
      '<tool_call>\n<function=write_file>\n<parameter=path>\na.txt\n</parameter>\n<parameter=content>\n\n  indented\n\n</parameter>\n</function>\n</tool_call>',
      [['write_file', { path: 'a.txt', content: '\n  indented\n' }]],
    ],
    ['<param>x</param>', 'no call'],
    [
      '<tool_call><name>get_weather</name><arguments>{"city":"Oslo"}</arguments></tool_call>',
      [['get_weather', { city: 'Oslo' }]],
    ],
    [
      '<tool_use><tool_name>get_weather</tool_name><parameters><city>Oslo</city></parameters></tool_use>',
      [['get_weather', { city: 'Oslo' }]],
    ],
    [
      '<tool_call><tool_name>get_weather</tool_name><city>Oslo</city></tool_call>',
      [['get_weather', { city: 'Oslo' }]],
    ],
  ],
  'elements named like a tool': [
    [
      '<get_weather><city>Oslo</city><days>3</days></get_weather>',
      [['get_weather', { city: 'Oslo', days: 3 }]],
    ],
    [
      '<get_weather>\n  <city>Oslo</city>\n</get_weather>\n<now/>',
      [
        ['get_weather', { city: 'Oslo' }],
        ['now', {}],
      ],
    ],
    ['<get_weather city="Oslo" />', [['get_weather', { city: 'Oslo' }]]],
    ['<now></now>', [['now', {}]]],
    [
      '<write_file><path>a.html</path><content><h1>Hi</h1></content></write_file>',
      [['write_file', { path: 'a.html', content: '<h1>Hi</h1>' }]],
    ],
    ['<get_weather>{"city":"Oslo"}</get_weather>', [['get_weather', { city: 'Oslo' }]]],
    ['<web-search>cats &amp; dogs</web-search>', [['web-search', { query: 'cats & dogs' }]]],
    [
      '<send_mail><to><item>a@b.c</item><item>d@e.f</item></to><subject>x</subject></send_mail>',
      [['send_mail', { to: ['a@b.c', 'd@e.f'], subject: 'x' }]],
    ],
    [
      '<send_mail><to>a@b.c</to><to>d@e.f</to><subject>x</subject></send_mail>',
      [['send_mail', { to: ['a@b.c', 'd@e.f'], subject: 'x' }]],
    ],
    [
      '<get_weather><parameter name="city">Oslo</parameter></get_weather>',
      [['get_weather', { city: 'Oslo' }]],
    ],
    [
      '<get_weather><arguments><city>Oslo</city></arguments></get_weather>',
      [['get_weather', { city: 'Oslo' }]],
    ],
    ['Use `<get_weather>` to see it.', 'no call'],
  ],
  'in the notation of Python': [
    [
      '[get_weather(city="Oslo"), now()]',
      [
        ['get_weather', { city: 'Oslo' }],
        ['now', {}],
      ],
    ],
    [
      'get_weather(city="Oslo", days=3, hourly=False, fields=[\'rain\'])',
      [['get_weather', { city: 'Oslo', days: 3, hourly: false, fields: ['rain'] }]],
    ],
    ['<|python_tag|>get_weather(city="Oslo")', [['get_weather', { city: 'Oslo' }]]],
    [
      '<|python_tag|>{"name":"get_weather","parameters":{"city":"Oslo"}};{"name":"now","parameters":{}}<|eom_id|>',
      [
        ['get_weather', { city: 'Oslo' }],
        ['now', {}],
      ],
    ],
    ['<|python_start|>[get_weather(city="Oslo")]<|python_end|><|eot|>', [['get_weather', { city: 'Oslo' }]]],
    ['[functions.get_weather(city="Oslo")]', [['get_weather', { city: 'Oslo' }]]],
    ['[db.query(sql="select \'a\', [1]")]', [['db.query', { sql: "select 'a', [1]" }]]],
    ['[get_weather(city="""Oslo""")]', [['get_weather', { city: 'Oslo' }]]],
    [
      '[write_file(path="a", content="x = {\\"a\\": (1, 2)}\\n")]',
      [['write_file', { path: 'a', content: 'x = {"a": (1, 2)}\n' }]],
    ],
    ['We call get_weather(city="Oslo") for that.', 'no call'],
    ['[get_weather(city="Oslo",)]', [['get_weather', { city: 'Oslo' }]]],
    [
      '<function_calls>\nget_weather(city="Oslo")\nnow()\n</function_calls>',
      [
        ['get_weather', { city: 'Oslo' }],
        ['now', {}],
      ],
    ],
    [
      '<|tool_call_start|>[get_weather(city="Oslo"), now()]<|tool_call_end|>Checking.',
      [
        ['get_weather', { city: 'Oslo' }],
        ['now', {}],
      ],
    ],
    [
      '[send_mail(to=["a@b.c"], subject="x", meta={"k": None, "t": True})]',
      [['send_mail', { to: ['a@b.c'], subject: 'x', meta: { k: null, t: true } }]],
    ],
    [
      '[get_weather(city="Oslo") now()]',
      [
        ['get_weather', { city: 'Oslo' }],
        ['now', {}],
      ],
    ],
    [
      '[get_weather(city="Oslo"); now()]',
      [
        ['get_weather', { city: 'Oslo' }],
        ['now', {}],
      ],
    ],
    ['print(get_weather(city="Oslo"))', [['get_weather', { city: 'Oslo' }]]],
    ['[get_weather(city="Os', 'malformed'],
    ['See [1](http://x) and [get_weather](http://y).', 'no call'],
    ["[get_weather(city='Oslo',\n  days=3)]\n", [['get_weather', { city: 'Oslo', days: 3 }]]],
  ],
  '[TOOL_CALLS]': [
    [
      '[TOOL_CALLS][{"name":"get_weather","arguments":{"city":"Oslo"}},{"name":"now","arguments":{}}]',
      [
        ['get_weather', { city: 'Oslo' }],
        ['now', {}],
      ],
    ],
    ['[TOOL_CALLS] {"name":"get_weather","arguments":{"city":"Oslo"}}', [['get_weather', { city: 'Oslo' }]]],
    [
      '[TOOL_CALLS]get_weather{"city":"Oslo"}[TOOL_CALLS]now{}',
      [
        ['get_weather', { city: 'Oslo' }],
        ['now', {}],
      ],
    ],
    [
      '[TOOL_CALLS]get_weather[ARGS]{"city":"Oslo"}[TOOL_CALLS]now[ARGS]{}',
      [
        ['get_weather', { city: 'Oslo' }],
        ['now', {}],
      ],
    ],
    [
      '[TOOL_CALLS]get_weather[CALL_ID]abc123XYZ[ARGS]{"city":"Oslo"}</s>',
      [['get_weather', { city: 'Oslo' }]],
    ],
    ['[THINK]maybe[/THINK][TOOL_CALLS]get_weather[ARGS]{"city":"Oslo"}', [['get_weather', { city: 'Oslo' }]]],
    [
      '[TOOL_CALLS] [{"name":"get_weather","arguments":{"city":"Oslo"},"id":"abc"}] [TOOL_CALLS]',
      [['get_weather', { city: 'Oslo' }]],
    ],
    [
      'Let me look.[TOOL_CALLS] [{"name": "get_weather", "arguments": {"city": "Oslo"}}]</s>',
      [['get_weather', { city: 'Oslo' }]],
    ],
    [
      '[TOOL_CALLS]\n[{"name": "get_weather", "arguments": {"city": "Oslo"}}',
      [['get_weather', { city: 'Oslo' }]],
    ],
    ['[TOOL_CALLS]get_weather, {"city": "Oslo"}', 'no call'],
    [
      '[tool_calls] [{"name":"get_weather","arguments":{"city":"Oslo"}}]',
      [['get_weather', { city: 'Oslo' }]],
    ],
  ],
  DeepSeek: [
    [
      '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n{"city":"Oslo"}\n```<｜tool▁call▁end｜>\n<｜tool▁call▁begin｜>function<｜tool▁sep｜>now\n```json\n{}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
      [
        ['get_weather', { city: 'Oslo' }],
        ['now', {}],
      ],
    ],
    ['<｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{"city":"Oslo"}', [['get_weather', { city: 'Oslo' }]]],
    [
      '<|tool_calls_begin|><|tool_call_begin|>get_weather<|tool_sep|>{"city":"Oslo"}<|tool_call_end|><|tool_calls_end|>',
      [['get_weather', { city: 'Oslo' }]],
    ],
    [
      '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{"city":"Oslo"}<｜tool▁call▁end｜><｜tool▁call▁begin｜>now<｜tool▁sep｜>{oops<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
      [['get_weather', { city: 'Oslo' }]],
    ],
    [
      '<｜tool▁calls▁begin｜>get_weather<｜tool▁sep｜>{"city":"Oslo"}<｜tool▁calls▁end｜>',
      [['get_weather', { city: 'Oslo' }]],
    ],
    [
      '<｜DSML｜function_calls><｜DSML｜invoke name="get_weather"><｜DSML｜parameter name="city" string="true">Oslo</｜DSML｜parameter><｜DSML｜parameter name="days" string="false">3</｜DSML｜parameter></｜DSML｜invoke></｜DSML｜function_calls>',
      [['get_weather', { city: 'Oslo', days: 3 }]],
    ],
    ['function<｜tool▁sep｜>get_weather\n```json\n{"city":"Oslo"}\n```', [['get_weather', { city: 'Oslo' }]]],
  ],
  Kimi: [
    [
      '<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{"city":"Oslo"}<|tool_call_end|><|tool_call_begin|>functions.now:1<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>',
      [
        ['get_weather', { city: 'Oslo' }],
        ['now', {}],
      ],
    ],
    [
      'functions.get_weather:0{"city":"Oslo"}functions.now:1{}',
      [
        ['get_weather', { city: 'Oslo' }],
        ['now', {}],
      ],
    ],
    [
      '<|tool_call_begin|>get_weather<|tool_call_argument_begin|>{"city":"Oslo"}',
      [['get_weather', { city: 'Oslo' }]],
    ],
    [
      '<|tool_call_begin|> functions.get_weather:12 <|tool_call_argument_begin|> {"city": "Oslo"} <|tool_call_end|>',
      [['get_weather', { city: 'Oslo' }]],
    ],
    [
      '<|tool_call_begin|>functions.db.query:0<|tool_call_argument_begin|>{"sql":"x"}<|tool_call_end|>',
      [['db.query', { sql: 'x' }]],
    ],
    [
      '<think>I call <|tool_call_begin|>functions.now:0<|tool_call_argument_begin|>{}<|tool_call_end|></think>done',
      'no call',
    ],
  ],
  GLM: [
    [
      '<tool_call>get_weather<arg_key>city</arg_key><arg_value>Oslo</arg_value></tool_call>',
      [['get_weather', { city: 'Oslo' }]],
    ],
    [
      '<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Oslo</arg_value>\n<arg_key>days</arg_key>\n<arg_value>3</arg_value>\n</tool_call>\n<tool_call>now\n</tool_call>',
      [
        ['get_weather', { city: 'Oslo', days: 3 }],
        ['now', {}],
      ],
    ],
    [
      '<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Oslo</tool_call>',
      [['get_weather', { city: 'Oslo' }]],
    ],
    ['<tool_call>get_weather<arg_key>city</arg_key><arg_value>Os', 'malformed'],
    [
      '<tool_call>send_mail<arg_key>to</arg_key><arg_value>["a@b.c"]</arg_value><arg_key>subject</arg_key><arg_value>Re: <b>x</b></arg_value></tool_call>',
      [['send_mail', { to: ['a@b.c'], subject: 'Re: <b>x</b>' }]],
    ],
    [
      '<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Oslo</arg_value>',
      [['get_weather', { city: 'Oslo' }]],
    ],
  ],
  Gemma: [
    [
      '<start_function_call>call:get_weather{city:<escape>Oslo<escape>,days:3,hourly:true}<end_function_call>',
      [['get_weather', { city: 'Oslo', days: 3, hourly: true }]],
    ],
    [
      '<start_function_call>call:get_weather{city:<escape>a, {b}: c<escape>}<end_function_call><start_function_call>call:now{}<end_function_call>',
      [
        ['get_weather', { city: 'a, {b}: c' }],
        ['now', {}],
      ],
    ],
    [
      '<|tool_call>call:get_weather{city:<|"|>Oslo<|"|>,fields:[<|"|>rain<|"|>]}<tool_call|>',
      [['get_weather', { city: 'Oslo', fields: ['rain'] }]],
    ],
    ['call:get_weather{city:<escape>Oslo<escape>}', [['get_weather', { city: 'Oslo' }]]],
    ['<|tool_call>call:get_weather{city:"Oslo"}<tool_call|>', [['get_weather', { city: 'Oslo' }]]],
  ],
  Harmony: [
    [
      '<|channel|>analysis<|message|>think<|end|><|start|>assistant<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"city":"Oslo"}<|call|>',
      [['get_weather', { city: 'Oslo' }]],
    ],
    [
      '<|start|>assistant to=functions.get_weather<|channel|>commentary<|message|>{"city":"Oslo"}',
      [['get_weather', { city: 'Oslo' }]],
    ],
    [
      '<|channel|>commentary to=get_weather<|message|>{"city":"Oslo"}<|call|>',
      [['get_weather', { city: 'Oslo' }]],
    ],
    ['<|channel|>final<|message|>Hello there.', 'no call'],
    [
      '<|channel|>commentary<|message|>I will check.<|end|><|start|>assistant<|channel|>commentary to=functions.now <|constrain|>json<|message|>{}<|call|>',
      [['now', {}]],
    ],
    ['commentary to=functions.get_weather json {"city":"Oslo"}', [['get_weather', { city: 'Oslo' }]]],
    [
      '<|channel|>commentary to=functions.get_weather code<|message|>{"city":"Oslo"}',
      [['get_weather', { city: 'Oslo' }]],
    ],
    [
      '<|channel|>analysis to=functions.get_weather<|message|>{"city":"Oslo"}',
      [['get_weather', { city: 'Oslo' }]],
    ],
  ],
  'other wrappers': [
    [
      '<|START_THINKING|>hm<|END_THINKING|><|START_ACTION|>[{"tool_call_id":"0","tool_name":"get_weather","parameters":{"city":"Oslo"}}]<|END_ACTION|>',
      [['get_weather', { city: 'Oslo' }]],
    ],
    [
      'Action: ```json\n[\n    {\n        "tool_name": "get_weather",\n        "parameters": {"city": "Oslo"}\n    }\n]```',
      [['get_weather', { city: 'Oslo' }]],
    ],
    [
      '<|action_start|><|plugin|>{"name":"get_weather","parameters":{"city":"Oslo"}}<|action_end|>\n',
      [['get_weather', { city: 'Oslo' }]],
    ],
    [
      'functools[{"name":"get_weather","arguments":{"city":"Oslo"}},{"name":"now","arguments":{}}]',
      [
        ['get_weather', { city: 'Oslo' }],
        ['now', {}],
      ],
    ],
    [
      '>>>get_weather\n{"city":"Oslo"}\n>>>now\n{}',
      [
        ['get_weather', { city: 'Oslo' }],
        ['now', {}],
      ],
    ],
    ['>>>all\nHello', 'no call'],
    ['get_weather\n{"city": "Oslo"}', [['get_weather', { city: 'Oslo' }]]],
    [
      'Thought: I need it.\nAction: get_weather\nAction Input: {"city": "Oslo"}\nObservation:',
      [['get_weather', { city: 'Oslo' }]],
    ],
    ['Action: web-search\nAction Input: cats\nObservation: none', [['web-search', { query: 'cats' }]]],
    [
      '<tool_calls>[{"name":"get_weather","arguments":{"city":"Oslo"}}]</tool_calls>',
      [['get_weather', { city: 'Oslo' }]],
    ],
    [
      '<TOOLCALL>[{"name":"get_weather","arguments":{"city":"Oslo"}}]</TOOLCALL>',
      [['get_weather', { city: 'Oslo' }]],
    ],
    [
      '<|function_call|>{"name":"get_weather","arguments":{"city":"Oslo"}}<|message_sep|>',
      [['get_weather', { city: 'Oslo' }]],
    ],
    [
      '<|tools_prefix|>[{"get_weather":{"city":"Oslo"}},{"now":{}}]<|tools_suffix|>',
      [
        ['get_weather', { city: 'Oslo' }],
        ['now', {}],
      ],
    ],
    [
      '<longcat_tool_call>{"name":"get_weather","arguments":{"city":"Oslo"}}</longcat_tool_call>',
      [['get_weather', { city: 'Oslo' }]],
    ],
    [
      '<function name="get_weather"><param name="city">Oslo</param></function>',
      [['get_weather', { city: 'Oslo' }]],
    ],
    [
      '<tool_call>\n<tool_name>get_weather</tool_name>\n<tool_args>{"city":"Oslo"}</tool_args>\n</tool_call>',
      [['get_weather', { city: 'Oslo' }]],
    ],
    [
      '<seed:think>hm</seed:think><seed:tool_call>\n<function=get_weather>\n<parameter=city>Oslo</parameter>\n</function>\n</seed:tool_call>',
      [['get_weather', { city: 'Oslo' }]],
    ],
    ['reasoning text</think>\n\n<tool_call>{"name":"now","arguments":{}}</tool_call>', [['now', {}]]],
    ['<tool_call>{"name":"now","arguments":{}}</tool_call></think>Hi', 'no call'],
    ['<|assistant|><tool_call>{"name":"now","arguments":{}}</tool_call><|user|>', [['now', {}]]],
    [
      '<tool_call>{"name":"get_weather","arguments":{"city":"Oslo"}}</tool_call>\n<tool_call>{"name":"get_weather","arguments":{"city":"Oslo"}}</tool_call>',
      [
        ['get_weather', { city: 'Oslo' }],
        ['get_weather', { city: 'Oslo' }],
      ],
    ],
    [
      '<tool_calls>\n<tool_call>{"name":"get_weather","arguments":{"city":"Oslo"}}</tool_call>\n</tool_calls>',
      [['get_weather', { city: 'Oslo' }]],
    ],
    [
      '<action>{"name":"get_weather","arguments":{"city":"Oslo"}}</action>',
      [['get_weather', { city: 'Oslo' }]],
    ],
    [
      '<response>{"name":"get_weather","arguments":{"city":"Oslo"}}</response>',
      [['get_weather', { city: 'Oslo' }]],
    ],
    ['TOOL_CALL: {"name":"get_weather","arguments":{"city":"Oslo"}}', [['get_weather', { city: 'Oslo' }]]],
    [
      '<tool_call>{"name":"write_file","arguments":{"path":"a","content":"<think>x</think>"}}</tool_call>',
      [['write_file', { path: 'a', content: '<think>x</think>' }]],
    ],
    [
      '<function_calls>[{"name":"get_weather","arguments":{"city":"Oslo"}}]</function_calls>',
      [['get_weather', { city: 'Oslo' }]],
    ],
    [
      '<tool_call>{"name":"write_file","arguments":{"path":"a.md","content":"```js\\nlet a\\n```"}}</tool_call>',
      [['write_file', { path: 'a.md', content: '```js\nlet a\n```' }]],
    ],
    [
      '<tool_call>{"name":"get_weather", "arguments": {"city": "Oslo", "days": 3}\n}\n',
      [['get_weather', { city: 'Oslo', days: 3 }]],
    ],
    [
      '<|tool_call_begin|>function<|tool_sep|>get_weather\n{"city":"Oslo"}<|tool_call_end|>',
      [['get_weather', { city: 'Oslo' }]],
    ],
    [
      '<tool_call>{"name":"get_weather","arguments":{"city":"Oslo"}}\n</tool_call>\nfunction result: 3',
      [['get_weather', { city: 'Oslo' }]],
    ],
  ],
  mixed: [
    ['{"name":"get_weather","arguments":{"city":"Oslo"}} </s>', [['get_weather', { city: 'Oslo' }]]],
    ['<s>{"name":"get_weather","arguments":{"city":"Oslo"}}', [['get_weather', { city: 'Oslo' }]]],
    [
      'Assistant: <tool_call>{"name":"get_weather","arguments":{"city":"Oslo"}}</tool_call>',
      [['get_weather', { city: 'Oslo' }]],
    ],
    [
      '<tool_call>{"name":"get_weather","arguments":{"city":"Oslo"}}</tool_call>. Done!',
      [['get_weather', { city: 'Oslo' }]],
    ],
    [
      '<tool_call>\n<tool_call>\n{"name":"get_weather","arguments":{"city":"Oslo"}}\n</tool_call>\n</tool_call>',
      [['get_weather', { city: 'Oslo' }]],
    ],
    [
      '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</function>',
      [['get_weather', { city: 'Oslo' }]],
    ],
    [
      '<tool_call>{"function":"get_weather","parameters":{"city":"Oslo"}}</tool_call>',
      [['get_weather', { city: 'Oslo' }]],
    ],
    ['<tool_call>{"get_weather":{"city":"Oslo"}}</tool_call>', [['get_weather', { city: 'Oslo' }]]],
    [
      '<tool_call>{"name":"get_weather","args":{"city":"Oslo"}}</tool_call>',
      [['get_weather', { city: 'Oslo' }]],
    ],
    [
      '<tool_call>{"tool_name":"get_weather","tool_arguments":{"city":"Oslo"}}</tool_call>',
      [['get_weather', { city: 'Oslo' }]],
    ],
    ['<tool_call>{"name":"get_weather","city":"Oslo"}</tool_call>', [['get_weather', { city: 'Oslo' }]]],
    ['<tool_call>get_weather {"city":"Oslo"}</tool_call>', [['get_weather', { city: 'Oslo' }]]],
    ['<tool_call>get_weather: {"city":"Oslo"}</tool_call>', [['get_weather', { city: 'Oslo' }]]],
    ['<tool_call>get_weather({"city":"Oslo"})</tool_call>', [['get_weather', { city: 'Oslo' }]]],
    ['get_weather({"city":"Oslo"})', [['get_weather', { city: 'Oslo' }]]],
    ['[get_weather({"city":"Oslo"})]', [['get_weather', { city: 'Oslo' }]]],
    ['<tool_call>now()</tool_call>', [['now', {}]]],
    ['<tool_call>{"name":"now"}</tool_call>', [['now', {}]]],
    ['<tool_call>now</tool_call>', [['now', {}]]],
    ['{"name":"now","arguments":""}', [['now', {}]]],
    ['{"name":"now","arguments":[]}', [['now', {}]]],
    ['{"name":"now","parameters":{}}', [['now', {}]]],
    [
      '{"name":"write_file","arguments":{"path":"a","content":"it\'s"}}',
      [['write_file', { path: 'a', content: "it's" }]],
    ],
    [
      "<tool_call>{'name': 'write_file', 'arguments': {'path': 'a', 'content': 'say \"hi\"'}}</tool_call>",
      [['write_file', { path: 'a', content: 'say "hi"' }]],
    ],
    [
      "<tool_call>{'name': 'write_file', 'arguments': {'path': 'a', 'content': \"it's\"}}</tool_call>",
      [['write_file', { path: 'a', content: "it's" }]],
    ],
    [
      '<tool_call>{"name":"write_file","arguments":{"path":"a","content":"x\ty"}}</tool_call>',
      [['write_file', { path: 'a', content: 'x\ty' }]],
    ],
    [
      '<tool_call>{"name":"write_file","arguments":{"path":"a","content":`x\ny`}}</tool_call>',
      [['write_file', { path: 'a', content: 'x\ny' }]],
    ],
    [
      '<tool_call>{"name":"write_file","arguments":{"path":"a","content":"""x\ny"""}}</tool_call>',
      [['write_file', { path: 'a', content: 'x\ny' }]],
    ],
    [
      '<tool_call>{"name":"write_file" "arguments":{"path":"a" "content":"b"}}</tool_call>',
      [['write_file', { path: 'a', content: 'b' }]],
    ],
    [
      '<tool_call>{"name":"get_weather","arguments":{"city":"Oslo","days":3.0}}</tool_call>',
      [['get_weather', { city: 'Oslo', days: 3 }]],
    ],
    [
      '<function=get_weather>\n<parameter=city>Oslo</parameter>\n<parameter=hourly>false</parameter>\n',
      [['get_weather', { city: 'Oslo', hourly: false }]],
    ],
    ['<function=get_weather>\n<city>Oslo</city>\n</function>', [['get_weather', { city: 'Oslo' }]]],
    [
      '<function=write_file>\n<parameter=path>a</parameter>\n<parameter=content>\nif (a < b) { return "</div>"; }\n</parameter>\n</function>',
      [['write_file', { path: 'a', content: 'if (a < b) { return "</div>"; }' }]],
    ],
    [
      '<function=write_file>\n<parameter=path>a</parameter>\n<parameter=content>\n<tool_call>x</tool_call>\n</parameter>\n</function>',
      [['write_file', { path: 'a', content: '<tool_call>x</tool_call>' }]],
    ],
    [
      '<function=write_file>\n<parameter=path>a</parameter>\n<parameter=content>\n{"name":"now","arguments":{}}\n</parameter>\n</function>',
      [['write_file', { path: 'a', content: '{"name":"now","arguments":{}}' }]],
    ],
    [
      '<function=write_file><parameter=content>\n```json\n{"name":"now","arguments":{}}\n```\n</parameter><parameter=path>a.md</parameter></function>',
      [['write_file', { content: '```json\n{"name":"now","arguments":{}}\n```', path: 'a.md' }]],
    ],
    ["I'll write:\n```html\n<get_weather><city>Oslo</city></get_weather>\n```", 'no call'],
    ['{"result": {"name":"get_weather","arguments":{"city":"Oslo"}}}', 'no call'],
    ['{"log":[{"name":"get_weather","arguments":{"city":"Oslo"}}]}', 'no call'],
    ['For example: {"name":"get_weather","arguments":{"city":"Oslo"}}', 'no call'],
    ['| call | result |\n| --- | --- |\n| get_weather(city="Oslo") | 3 |', 'no call'],
    ['1. `get_weather(city="Oslo")`\n2. `now()`', 'no call'],
    [
      'Available tools:\n[{"type":"function","function":{"name":"get_weather","parameters":{"type":"object","properties":{"city":{"type":"string"}}}}}]',
      'no call',
    ],
    ['{"role":"tool","name":"get_weather","content":"3"}', 'no call'],
    [
      '{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"get_weather","arguments":"{\\"city\\":\\"Oslo\\"}"}}]}',
      [['get_weather', { city: 'Oslo' }]],
    ],
    ['<think>Let me call.\n{"name":"now","arguments":{}}\n</think>\n\nIt is noon.', 'no call'],
    ['<think>Let me call it.</think>\n{"name":"now","arguments":{}}', [['now', {}]]],
    ['<think>Unclosed {"name":"now","arguments":{}}', 'no call'],
    ['<thinking>x</thinking>\n<now/>', [['now', {}]]],
    ['[THINK]x[/THINK]now()', [['now', {}]]],
    ['<|channel>thought\nhm<channel|><|tool_call>call:now{}<tool_call|>', [['now', {}]]],
    [
      '<|channel|>analysis<|message|>I should call get_weather.<|end|><|start|>assistant<|channel|>final<|message|>It is cold.<|return|>',
      'no call',
    ],
    [
      '<|start|>assistant<|channel|>commentary to=functions.get_weather<|constrain|>json<|message|>[{"city":"Oslo"}]<|call|>',
      [['get_weather', { city: 'Oslo' }]],
    ],
    [
      '<|channel|>commentary to=functions.get_weather<|message|>{"city":"Oslo"}<|call|><|start|>assistant<|channel|>commentary to=functions.now<|message|>{}<|call|>',
      [
        ['get_weather', { city: 'Oslo' }],
        ['now', {}],
      ],
    ],
    ['<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"city":"Os', 'malformed'],
    ['<|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{"city":"Os', 'malformed'],
    ['<|tool_calls_section_begin|><|tool_calls_section_end|>', 'malformed'],
    [
      '<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Oslo\nBergen</arg_value>\n</tool_call>',
      [['get_weather', { city: 'Oslo\nBergen' }]],
    ],
    [
      '<tool_call>get_weather<arg_key>hourly</arg_key><arg_value>true</arg_value><arg_key>city</arg_key><arg_value>123</arg_value></tool_call>',
      [['get_weather', { hourly: true, city: '123' }]],
    ],
    [
      '<tool_call>\nget_weather\n<arg_key>city</arg_key><arg_value>Oslo</arg_value>\n</tool_call>\nok',
      [['get_weather', { city: 'Oslo' }]],
    ],
    ['[TOOL_CALLS][{"name":"get_weather","arguments":{"city":"Os', 'malformed'],
    [
      '[TOOL_CALLS] [{"name":"get_weather","arguments":"{\\"city\\":\\"Oslo\\"}"}]',
      [['get_weather', { city: 'Oslo' }]],
    ],
    ['[TOOL_CALLS]\n\nget_weather\n{"city":"Oslo"}', [['get_weather', { city: 'Oslo' }]]],
    [
      '<|python_tag|>{"name":"get_weather","parameters":{"city":"Oslo"}}\n{"name":"now","parameters":{}}',
      [
        ['get_weather', { city: 'Oslo' }],
        ['now', {}],
      ],
    ],
    [
      '<|python_tag|>{"name": "get_weather", "parameters": {"city": "Oslo"}}, {"name": "now", "parameters": {}}<|eot_id|>',
      [
        ['get_weather', { city: 'Oslo' }],
        ['now', {}],
      ],
    ],
    [
      '{"type": "function", "name": "get_weather", "parameters": {"city": "Oslo", "days": "3", "hourly": "false"}}',
      [['get_weather', { city: 'Oslo', days: 3, hourly: false }]],
    ],
    [
      '<|start_header_id|>assistant<|end_header_id|>\n\n{"name":"now","parameters":{}}<|eot_id|>',
      [['now', {}]],
    ],
    [
      '<|tool_call_start|>[{"name":"get_weather","arguments":{"city":"Oslo"}}]<|tool_call_end|>',
      [['get_weather', { city: 'Oslo' }]],
    ],
    ['<|tool_call_start|>[get_weather(city="Oslo")', [['get_weather', { city: 'Oslo' }]]],
    ['<|tool_call_start|>[get_weather(city="Os', 'malformed'],
    ['<start_function_call>call:get_weather{city:<escape>Oslo<escape>', [['get_weather', { city: 'Oslo' }]]],
    ['<start_function_call>call:get_weather{city:<escape>Os', 'malformed'],
    [
      '<|tool_call>call:send_mail{to:[<|"|>a@b.c<|"|>],subject:<|"|>x "y"<|"|>,meta:{k:1}}<tool_call|>',
      [['send_mail', { to: ['a@b.c'], subject: 'x "y"', meta: { k: 1 } }]],
    ],
    [
      '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n{"city":"Os',
      'malformed',
    ],
    [
      '<｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n{"city":"Oslo"}\n<｜tool▁call▁end｜>',
      [['get_weather', { city: 'Oslo' }]],
    ],
    [
      '<｜tool_calls_begin｜><｜tool_call_begin｜>function<｜tool_sep｜>get_weather\n```json\n{"city":"Oslo"}\n```<｜tool_call_end｜><｜tool_calls_end｜><｜end▁of▁sentence｜>',
      [['get_weather', { city: 'Oslo' }]],
    ],
    [
      '<|START_ACTION|>\n[\n    {"tool_call_id": "0", "tool_name": "get_weather", "parameters": {"city": "Oslo"}},\n    {"tool_call_id": "1", "tool_name": "now", "parameters": {}}\n]<|END_ACTION|>',
      [
        ['get_weather', { city: 'Oslo' }],
        ['now', {}],
      ],
    ],
    ['<|START_RESPONSE|>Hello<|END_RESPONSE|>', 'no call'],
    [
      '<xai:function_call name="get_weather"><parameter name="city">Oslo</parameter></xai:function_call>',
      [['get_weather', { city: 'Oslo' }]],
    ],
    [
      '<use_tool><name>get_weather</name><arguments>{"city":"Oslo"}</arguments></use_tool>',
      [['get_weather', { city: 'Oslo' }]],
    ],
    ['Action: get_weather\nAction Input: {"city": "Oslo"', [['get_weather', { city: 'Oslo' }]]],
    ['**Action:** get_weather\n**Action Input:** {"city": "Oslo"}', [['get_weather', { city: 'Oslo' }]]],
    ['Tool: get_weather\nArguments: {"city": "Oslo"}', [['get_weather', { city: 'Oslo' }]]],
    [
      '```json\n{\n  "tool_calls": [\n    {"name": "get_weather", "arguments": {"city": "Oslo"}}\n  ]\n}\n```',
      [['get_weather', { city: 'Oslo' }]],
    ],
    [
      '```json\n// call\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n```',
      [['get_weather', { city: 'Oslo' }]],
    ],
    [
      '```json\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n{"name": "now", "arguments": {}}\n```',
      [
        ['get_weather', { city: 'Oslo' }],
        ['now', {}],
      ],
    ],
    [
      '````json\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n````',
      [['get_weather', { city: 'Oslo' }]],
    ],
    ['`{"name": "get_weather", "arguments": {"city": "Oslo"}}`', [['get_weather', { city: 'Oslo' }]]],
    ['json\n{"name": "get_weather", "arguments": {"city": "Oslo"}}', [['get_weather', { city: 'Oslo' }]]],
    ['{"name": "get_weather", "arguments": {"city": "Oslo"}} // call', [['get_weather', { city: 'Oslo' }]]],
    [
      '{"tool_calls":[{"type":"function","function":{"name":"get_weather","arguments":{"city":"Oslo"}}}]}',
      [['get_weather', { city: 'Oslo' }]],
    ],
    ['{"tool_calls":[]}', 'no call'],
    ['{"action":"final_answer","action_input":"It is cold."}', 'no call'],
    ['{"action":{"name":"get_weather","arguments":{"city":"Oslo"}}}', [['get_weather', { city: 'Oslo' }]]],
    [
      '{"command":{"name":"get_weather","args":{"city":"Oslo"}},"thoughts":{"text":"x"}}',
      [['get_weather', { city: 'Oslo' }]],
    ],
    [
      '[{"type":"tool_use","id":"x","name":"get_weather","input":{"city":"Oslo"}}]',
      [['get_weather', { city: 'Oslo' }]],
    ],
    [
      '[{"type":"text","text":"I look"},{"type":"tool_use","id":"x","name":"get_weather","input":{"city":"Oslo"}}]',
      [['get_weather', { city: 'Oslo' }]],
    ],
    ['{"tool":{"name":"get_weather","parameters":{"city":"Oslo"}}}', [['get_weather', { city: 'Oslo' }]]],
    ['{"tool":"now"}', [['now', {}]]],
    [
      '{"name":"get_weather","arguments":{"city":"Oslo"},"explanation":"needed"}',
      [['get_weather', { city: 'Oslo' }]],
    ],
    ['{"name":"get_wether","arguments":{"city":"Oslo"}}', 'no call'],
    [
      '<tool_call>{"name":"get_weather","arguments":{"city":"Oslo","note":null}}</tool_call>',
      [['get_weather', { city: 'Oslo', note: null }]],
    ],
    ['\n\n\n   <tool_call>   \n\n {"name":"now","arguments":{}}  \n\n\n </tool_call>   \n\n', [['now', {}]]],
    ['<TOOL_CALL>{"name":"now","arguments":{}}</TOOL_CALL>', [['now', {}]]],
    ['<toolcall>{"name":"now","arguments":{}}</toolcall>', [['now', {}]]],
    ['<tool-call>{"name":"now","arguments":{}}</tool-call>', [['now', {}]]],
    [
      '<functioncall> {"name": "get_weather", "arguments": \'{"city": "Oslo"}\'} </functioncall>',
      [['get_weather', { city: 'Oslo' }]],
    ],
    [
      '<tool_call>{"name":"get_weather","arguments":{"city":"Oslo"}}<|im_end|>',
      [['get_weather', { city: 'Oslo' }]],
    ],
    [
      '{"name":"get_weather","arguments":{"city":"Oslo"}}<|im_end|>\n<|im_start|>user',
      [['get_weather', { city: 'Oslo' }]],
    ],
    [
      '<tool_call>{"id":0,"name":"get_weather","arguments":{"city":"Oslo"}}</tool_call>',
      [['get_weather', { city: 'Oslo' }]],
    ],
  ],
};

describe.each(Object.entries(SAMPLES))('%s [P7]', (_, samples) => {
  it.each(samples)('%j', (content, expected) => {
    const reply = parseToolCalls({ role: 'assistant', content }, { tools: TOOLS });
    const calls = reply.type === 'tool_calls' ? reply.calls : [];
    const read = calls.map(({ name, arguments: given }) => [name, given]);
    expect(calls.length > 0 ? read : reply.malformed ? 'malformed' : 'no call').toEqual(expected);
  });
});
