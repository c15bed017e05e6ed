import type { Category } from '../api/benchmark-categories.ts';

interface Sample {
  readonly category: Category;
  /** Lines of a question file and of a file of possible answers. */
  readonly question: string;
  readonly answer?: string;
  /** Replies as lists of calls in JSON, and whether the reply is right. */
  readonly replies: readonly (readonly [reply: string, right: boolean])[];
}

function line(id: string, functions: unknown[]): string {
  return JSON.stringify({ id, question: [[{ role: 'user', content: `Do ${id}.` }]], function: functions });
}

function described(name: string, properties: Record<string, unknown>, required: string[] = []) {
  return { name, description: `Does ${name}.`, parameters: { type: 'dict', properties, required } };
}

const text = { type: 'string', description: 'A text' };
const integer = { type: 'integer', description: 'A number' };
const float = { type: 'float', description: 'A measure' };

/**
 * Questions in the leaderboard's format with replies and their judgments. `scripts/compare-function-calling.ts` confirms
 * the judgments with the leaderboard's own checker.
 */
export const FUNCTION_CALL_SAMPLES: readonly Sample[] = [
  {
    category: 'simple_python',
    question: line('simple_python_0', [
      described('lamp.set', { room: text, level: integer, warm: { type: 'boolean', description: '' } }, [
        ...['room', 'level'],
      ]),
    ]),
    answer:
      '{"id":"simple_python_0","ground_truth":[{"lamp.set":{"room":["living room","lounge"],"level":[5],"warm":[true,""]}}]}',
    replies: [
      ['[{"lamp_set":{"room":"living room","level":5}}]', true],
      ['[{"lamp_set":{"room":"Living-Room","level":5,"warm":true}}]', true],
      ['[{"lamp_set":{"room":"LOUNGE","level":5}}]', true],
      ['[{"lamp_set":{"level":5,"room":"lounge."}}]', true],
      ['[{"lamp_set":{"room":"living room!","level":5}}]', false],
      ['[{"lamp_set":{"room":"kitchen","level":5}}]', false],
      ['[{"lamp_set":{"room":"lounge","level":6}}]', false],
      ['[{"lamp_set":{"room":"lounge","level":"5"}}]', false],
      ['[{"lamp_set":{"room":"lounge","level":5.0}}]', false],
      ['[{"lamp_set":{"room":"lounge","level":true}}]', false],
      ['[{"lamp_set":{"room":"lounge","level":5,"warm":false}}]', false],
      ['[{"lamp_set":{"room":"lounge","level":5,"warm":"true"}}]', false],
      ['[{"lamp_set":{"room":"lounge","level":5,"warm":1}}]', false],
      ['[{"lamp_set":{"room":"lounge","level":5,"warm":null}}]', false],
      ['[{"lamp_set":{"room":["lounge"],"level":5}}]', false],
      ['[{"lamp_set":{"room":"","level":5}}]', false],
      ['[{"lamp_set":{"room":"lounge"}}]', false],
      ['[{"lamp_set":{}}]', false],
      ['[{"lamp_set":[]}]', false],
      ['[{"lamp_set":{"room":"lounge","level":5,"color":"red"}}]', false],
      ['[{"lamp.set":{"room":"lounge","level":5}}]', false],
      ['[{"lamp":{"room":"lounge","level":5}}]', false],
      ['[{"lamp_set":{"room":"lounge","level":5}},{"lamp_set":{"room":"lounge","level":5}}]', false],
      ['[]', false],
    ],
  },
  {
    category: 'simple_python',
    question: line('simple_python_1', [
      described(
        'mix',
        {
          ratio: float,
          parts: { type: 'array', items: { type: 'string' }, description: '' },
          sizes: { type: 'array', items: { type: 'float' }, description: '' },
          point: { type: 'tuple', items: { type: 'integer' }, description: '' },
        },
        ['ratio', 'parts'],
      ),
    ]),
    answer:
      '{"id":"simple_python_1","ground_truth":[{"mix":{"ratio":[2.0,0.5],"parts":[["Red paint","water"]],"sizes":[[1.5,2.0],""],"point":[[3,4],""]}}]}',
    replies: [
      ['[{"mix":{"ratio":2,"parts":["Red paint","water"]}}]', true],
      ['[{"mix":{"ratio":0.5,"parts":["red-paint","WATER"]}}]', true],
      ['[{"mix":{"ratio":2.0,"parts":["red paint","water"],"sizes":[1.5,2.0],"point":[3,4]}}]', true],
      ['[{"mix":{"ratio":2,"parts":["red paint","water"],"sizes":[]}}]', true],
      ['[{"mix":{"ratio":2,"parts":["red paint","water"],"point":[]}}]', true],
      ['[{"mix":{"ratio":2,"parts":["water","Red paint"]}}]', false],
      ['[{"mix":{"ratio":2,"parts":["Red paint"]}}]', false],
      ['[{"mix":{"ratio":2,"parts":["Red paint","water","water"]}}]', false],
      ['[{"mix":{"ratio":2,"parts":"Red paint, water"}}]', false],
      ['[{"mix":{"ratio":2,"parts":["Red paint",7]}}]', false],
      ['[{"mix":{"ratio":2,"parts":[]}}]', false],
      ['[{"mix":{"ratio":"2","parts":["Red paint","water"]}}]', false],
      ['[{"mix":{"ratio":true,"parts":["Red paint","water"]}}]', false],
      ['[{"mix":{"ratio":3,"parts":["Red paint","water"]}}]', false],
      ['[{"mix":{"ratio":2,"parts":["red paint","water"],"sizes":[2.0,1.5]}}]', false],
      ['[{"mix":{"ratio":2,"parts":["red paint","water"],"point":[4,3]}}]', false],
      ['[{"mix":{"ratio":2,"parts":["red paint","water"],"point":[3.0,4.0]}}]', true],
      ['[{"mix":{"ratio":2,"parts":["red paint","water"],"point":{"x":3}}}]', false],
    ],
  },
  {
    category: 'simple_python',
    question: line('simple_python_2', [
      described(
        'order',
        {
          item: { type: 'dict', description: '', properties: { name: text, count: integer, note: text } },
          lines: { type: 'array', items: { type: 'dict' }, description: '' },
          when: text,
        },
        ['item'],
      ),
    ]),
    answer:
      '{"id":"simple_python_2","ground_truth":[{"order":{"item":[{"name":["Tea","Green tea"],"count":[2],"note":["","hot"]}],"lines":[[{"a":[1]},{"a":[2],"b":["x",""]}],""],"when":["2024-05-01",""]}}]}',
    replies: [
      ['[{"order":{"item":{"name":"tea","count":2}}}]', true],
      ['[{"order":{"item":{"count":2,"name":"green tea","note":"HOT"}}}]', true],
      ['[{"order":{"item":{"name":"tea","count":2,"note":""}}}]', true],
      ['[{"order":{"item":{"name":"tea","count":2.0}}}]', true],
      ['[{"order":{"item":{"name":"tea","count":2},"when":"2024/05/01"}}]', true],
      ['[{"order":{"item":{"name":"tea","count":2},"when":"20240501"}}]', true],
      ['[{"order":{"item":{"name":"tea","count":2},"lines":[{"a":1},{"a":2}]}}]', true],
      ['[{"order":{"item":{"name":"tea","count":2},"lines":[{"a":1},{"a":2,"b":"X"}]}}]', true],
      ['[{"order":{"item":{"name":"tea","count":2},"lines":[]}}]', true],
      ['[{"order":{"item":{"name":"tea","count":2},"lines":[{"a":2},{"a":1}]}}]', false],
      ['[{"order":{"item":{"name":"tea","count":2},"lines":[{"a":1}]}}]', false],
      ['[{"order":{"item":{"name":"tea","count":2},"lines":[{"a":1,"c":3},{"a":2}]}}]', false],
      ['[{"order":{"item":{"name":"tea"}}}]', false],
      ['[{"order":{"item":{"name":"coffee","count":2}}}]', false],
      ['[{"order":{"item":{"name":"tea","count":"2"}}}]', false],
      ['[{"order":{"item":{"name":"tea","count":2,"size":"L"}}}]', false],
      ['[{"order":{"item":{"name":"tea","count":2},"when":"2024-05-02"}}]', false],
      ['[{"order":{"item":"tea"}}]', false],
      ['[{"order":{"item":[]}}]', false],
      ['[{"order":{"item":{}}}]', false],
      ['[{"order":{"item":null}}]', false],
    ],
  },
  {
    category: 'simple_python',
    question: line('simple_python_3', [
      described(
        'sum_up',
        { values: { type: 'array', items: { type: 'integer' }, description: '' }, scale: integer },
        ['values'],
      ),
    ]),
    answer:
      '{"id":"simple_python_3","ground_truth":[{"sum_up":{"values":["numbers"],"scale":["factor",2,""]}}]}',
    replies: [
      ['[{"sum_up":{"values":"numbers"}}]', true],
      ['[{"sum_up":{"values":"numbers","scale":"factor"}}]', true],
      ['[{"sum_up":{"values":"numbers","scale":2}}]', true],
      ['[{"sum_up":{"values":"Numbers"}}]', false],
      ['[{"sum_up":{"values":[1,2]}}]', false],
      ['[{"sum_up":{"values":"numbers","scale":"Factor"}}]', false],
      ['[{"sum_up":{"values":"numbers","scale":3}}]', false],
    ],
  },
  {
    category: 'simple_java',
    question: line('simple_java_0', [
      described(
        'Store.put',
        {
          key: { type: 'String', description: '' },
          size: { type: 'long', description: '' },
          ids: { type: 'ArrayList', items: { type: 'integer' }, description: '' },
          options: { type: 'HashMap', description: '' },
          fast: { type: 'boolean', description: '' },
        },
        ['key', 'size'],
      ),
    ]),
    answer:
      '{"id":"simple_java_0","ground_truth":[{"Store.put":{"key":["main"],"size":[10],"ids":[[1,2],""],"options":[{"mode":["rw"]},""],"fast":[true,""]}}]}',
    replies: [
      ['[{"Store_put":{"key":"main","size":"10L"}}]', true],
      [
        '[{"Store_put":{"key":"main","size":"10l","ids":"new ArrayList<Integer>(Arrays.asList(1, 2))"}}]',
        true,
      ],
      [
        '[{"Store_put":{"key":"main","size":"10L","ids":"new ArrayList<Integer>() {{ add(1); add(2); }}"}}]',
        true,
      ],
      [
        '[{"Store_put":{"key":"main","size":"10L","options":"new HashMap<String, String>() {{ put(\\"mode\\", \\"rw\\"); }}"}}]',
        true,
      ],
      ['[{"Store_put":{"key":"main","size":"10L","fast":"true"}}]', true],
      ['[{"Store_put":{"key":"main","size":"10"}}]', false],
      ['[{"Store_put":{"key":"main","size":10}}]', false],
      ['[{"Store_put":{"key":"main","size":"11L"}}]', false],
      ['[{"Store_put":{"key":"main","size":"10L","fast":true}}]', false],
      ['[{"Store_put":{"key":"main","size":"10L","ids":"[1, 2]"}}]', false],
      [
        '[{"Store_put":{"key":"main","size":"10L","ids":"new ArrayList<Integer>(Arrays.asList(2, 1))"}}]',
        false,
      ],
      ['[{"Store_put":{"key":"main","size":"10L","options":"new HashMap<>()"}}]', false],
    ],
  },
  {
    category: 'simple_javascript',
    question: line('simple_javascript_0', [
      described(
        'draw',
        {
          label: { type: 'String', description: '' },
          points: { type: 'array', items: { type: 'float' }, description: '' },
          style: { type: 'dict', description: '', properties: { color: { type: 'String' } } },
          filled: { type: 'Boolean', description: '' },
        },
        ['label'],
      ),
    ]),
    answer:
      '{"id":"simple_javascript_0","ground_truth":[{"draw":{"label":["Square"],"points":[[1.0,2.5],""],"style":[{"color":["red"],"width":[2]},""],"filled":[false,""]}}]}',
    replies: [
      ['[{"draw":{"label":"square"}}]', true],
      ['[{"draw":{"label":"\'Square\'","points":"[1, 2.5]"}}]', true],
      ['[{"draw":{"label":"square","points":"new Array(1.0, 2.5)"}}]', true],
      ['[{"draw":{"label":"square","style":"{color: \'red\', width: 2}"}}]', true],
      ['[{"draw":{"label":"square","filled":"false"}}]', true],
      ['[{"draw":{"label":"square","filled":false}}]', false],
      ['[{"draw":{"label":"square","points":"[2.5, 1]"}}]', false],
      ['[{"draw":{"label":"square","points":[1,2.5]}}]', false],
      ['[{"draw":{"label":"square","style":"{color: \'blue\', width: 2}"}}]', false],
      ['[{"draw":{"label":"square","style":"{}"}}]', false],
      ['[{"draw":{"label":"circle"}}]', false],
    ],
  },
  {
    category: 'multiple',
    question: line('multiple_0', [
      described('route.find', { from: text, to: text }, ['from', 'to']),
      described('weather.get', { city: text, days: integer }, ['city']),
    ]),
    answer: '{"id":"multiple_0","ground_truth":[{"weather.get":{"city":["Oslo"],"days":[3,""]}}]}',
    replies: [
      ['[{"weather_get":{"city":"oslo"}}]', true],
      ['[{"weather_get":{"city":"Oslo","days":3}}]', true],
      ['[{"weather.get":{"city":"Oslo"}}]', false],
      ['[{"weather_get":{"city":"Oslo","days":4}}]', false],
      ['[{"weather_get":{"city":"Bergen"}}]', false],
      ['[{"weather_get":{"days":3}}]', false],
      ['[{"route_find":{"from":"Oslo","to":"Oslo"}}]', false],
      ['[{"weather_get":{"city":"Oslo"}},{"route_find":{"from":"a","to":"b"}}]', false],
      ['[]', false],
    ],
  },
  {
    category: 'parallel',
    question: line('parallel_0', [
      described('play', { artist: text, minutes: integer }, ['artist', 'minutes']),
    ]),
    answer:
      '{"id":"parallel_0","ground_truth":[{"play":{"artist":["Abba"],"minutes":[20]}},{"play":{"artist":["Queen"],"minutes":[15]}}]}',
    replies: [
      ['[{"play":{"artist":"Abba","minutes":20}},{"play":{"artist":"Queen","minutes":15}}]', true],
      ['[{"play":{"artist":"queen","minutes":15}},{"play":{"artist":"abba","minutes":20}}]', true],
      ['[{"play":{"artist":"Abba","minutes":20}},{"play":{"artist":"Abba","minutes":20}}]', false],
      ['[{"play":{"artist":"Abba","minutes":15}},{"play":{"artist":"Queen","minutes":20}}]', false],
      ['[{"play":{"artist":"Abba","minutes":20}}]', false],
      [
        '[{"play":{"artist":"Abba","minutes":20}},{"play":{"artist":"Queen","minutes":15}},{"play":{"artist":"Queen","minutes":15}}]',
        false,
      ],
      ['[]', false],
    ],
  },
  {
    category: 'parallel_multiple',
    question: line('parallel_multiple_0', [
      described('area.square', { side: float }, ['side']),
      described('area.circle', { radius: float, unit: text }, ['radius']),
    ]),
    answer:
      '{"id":"parallel_multiple_0","ground_truth":[{"area.square":{"side":[2.0]}},{"area.circle":{"radius":[1.5],"unit":["m",""]}}]}',
    replies: [
      ['[{"area_square":{"side":2}},{"area_circle":{"radius":1.5}}]', true],
      ['[{"area_circle":{"radius":1.5,"unit":"M"}},{"area_square":{"side":2.0}}]', true],
      ['[{"area_circle":{"radius":1.5,"unit":"cm"}},{"area_square":{"side":2.0}}]', false],
      ['[{"area_circle":{"radius":2}},{"area_square":{"side":1.5}}]', false],
      ['[{"area_square":{"side":2}},{"area_square":{"side":2}}]', false],
      ['[{"area_square":{"side":2}}]', false],
    ],
  },
  {
    category: 'irrelevance',
    question: line('irrelevance_0', [described('body.mass', { weight: float }, ['weight'])]),
    replies: [
      ['[]', true],
      ['[{"body_mass":{"weight":70}}]', false],
      ['[{"body_mass":{}}]', false],
      ['[{"anything":{}}]', false],
      ['[{"body_mass":[]}]', true],
    ],
  },
  {
    category: 'live_relevance',
    question: line('live_relevance_0-0-0', [described('search', { query: text }, ['query'])]),
    replies: [
      ['[{"search":{"query":"x"}}]', true],
      ['[{"search":{}}]', true],
      ['[{"anything":{"a":1}}]', true],
      ['[]', false],
    ],
  },
];
