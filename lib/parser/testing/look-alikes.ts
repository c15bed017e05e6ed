/** Text that resembles calls of the tools in `tools.ts` but must be parsed as an answer. */
export interface LookAlike {
  about: string;
  content: string;
}

const call = '{"name": "read_file", "arguments": {"path": "a.txt"}}';
const fence = (language: string, body: string) => `\`\`\`${language}\n${body}\n\`\`\``;

export const LOOK_ALIKES: readonly LookAlike[] = [
  // Prose
  { about: 'a tool mentioned by name', content: 'I would use read_file to look at a.txt.' },
  {
    about: 'a tool mentioned with brackets',
    content: 'First read_file(), then write_file(path, content), and we are done.',
  },
  { about: 'a Python call within a sentence', content: "You can call read_file(path='a.txt') to see it." },
  { about: 'a list of tools', content: 'The tools are [read_file, write_file, run_command].' },
  { about: 'a heading named like a tool', content: '## read_file\n\nReads a file from the workspace.' },
  { about: 'a line that is a tool name, prose below', content: 'read_file\n\nThis tool reads a file.' },
  {
    about: 'a line that is a tool name, other JSON below',
    content: 'read_file\n{"supported": true, "since": 2}',
  },
  { about: 'a definition list', content: 'read_file: reads a file\nwrite_file: writes a file' },
  { about: 'braces in prose', content: 'Use {name} and {arguments} as placeholders in the template.' },
  { about: 'brackets and arrows in prose', content: 'If a < b and c > d then [see note 1] {or 2}.' },
  { about: 'a marker mentioned', content: 'Qwen wraps its calls in <tool_call> and </tool_call> tags.' },
  { about: 'a Mistral marker mentioned', content: 'The [TOOL_CALLS] token comes before the list of calls.' },
  { about: 'a python tag mentioned', content: 'Llama emits <|python_tag|> before its built-in tools.' },
  { about: 'a function tag mentioned', content: 'The opener <function= is followed by the name.' },
  { about: 'an unfinished tag', content: 'How do I type <tool_call in a document?' },
  {
    about: 'the tags of a tool-named element mentioned',
    content: 'Cline wraps its commands in <run_command> and </run_command> tags.',
  },
  {
    about: 'a tool-named element mentioned, closed elsewhere',
    content: 'The <run_command> tool needs a command. Do not forget </run_command> at its end.',
  },
  { about: 'the word functions', content: 'All functions.read and functions.write helpers were renamed.' },
  { about: 'the word functools', content: 'Import functools and use functools[0] as the first entry.' },
  { about: 'a markdown link', content: "See [read_file(path='a')](https://example.org/read_file)." },
  { about: 'citations', content: 'This was shown before [1][2], and again in [read_file].' },
  { about: 'a checklist', content: '- [ ] read_file\n- [x] write_file' },
  { about: 'the [ARGS] token mentioned', content: 'Mistral writes read_file[ARGS] and then the arguments.' },
  { about: 'a tool with a note in brackets', content: 'read_file[ARGS]: takes a path, see below.' },
  { about: 'a recipient mentioned', content: 'gpt-oss writes to=functions.read_file into its header.' },
  { about: 'a header without a message', content: ' to=functions.read_file<|channel|>commentary' },
  { about: 'a map mentioned', content: 'Gemma writes call:read_file{path:...} between its tokens.' },
  { about: 'an element named call', content: '<call>read_file</call> is how the old tracker wrote it.' },
  { about: 'an emoticon', content: 'Done :-} {-: and that is all.' },
  { about: 'LaTeX', content: 'The set is $\\{x \\in A : f(x) = [0, 1]\\}$.' },
  { about: 'a plan', content: '1. Call read_file with path "a.txt"\n2. Call write_file' },
  {
    about: 'ReAct for a tool that does not exist',
    content: 'Action: think_hard\nAction Input: {"topic": "life"}',
  },
  { about: 'ReAct that finishes', content: 'Thought: I know it.\nFinal Answer: 42' },
  // JSON answers
  { about: 'a JSON answer', content: '{"port": 8080, "hosts": ["a", "b"]}' },
  { about: 'a person', content: 'The record is {"name": "Bob", "age": 41}.' },
  { about: 'a person with arguments', content: '{"name": "Bob", "arguments": {"strong": true}}' },
  {
    about: 'a package.json',
    content: fence('json', '{"name": "my-app", "version": "1.0.0", "scripts": {"test": "vitest"}}'),
  },
  { about: 'a list of people', content: '[{"name": "Ann"}, {"name": "Bob"}]' },
  {
    about: 'a list of tools as JSON',
    content: '[{"name": "read_file", "purpose": "reads"}, {"name": "write_file", "purpose": "writes"}]',
  },
  { about: 'a tool with its source', content: '{"name": "read_file", "path": "src/tools/read-file.ts"}' },
  {
    about: 'statistics keyed by tool',
    content: '{"read_file": {"calls": 3, "failures": 0}, "write_file": {"calls": 1, "failures": 1}}',
  },
  { about: 'statistics of one tool', content: '{"read_file": {"calls": 3, "failures": 0}}' },
  { about: 'a name that is not a string', content: '{"name": 123, "arguments": {}}' },
  { about: 'arguments without a name', content: '{"arguments": {"path": "a.txt"}}' },
  { about: 'an empty name', content: '{"name": "", "arguments": {"path": "a.txt"}}' },
  { about: 'a name nearly right', content: '{"name": "read_files", "arguments": {"path": "a.txt"}}' },
  {
    about: 'a tool that was not offered',
    content: '{"name": "delete_file", "arguments": {"path": "a.txt"}}',
  },
  { about: 'a Python list of another tool', content: "[delete_file(path='a.txt')]" },
  { about: 'a call inside other JSON', content: `{"log": [{"at": 1, "entry": ${call}}], "total": 1}` },
  {
    about: 'a call as JSON text in other JSON',
    content: JSON.stringify({ example: call, note: 'as the model wrote it' }),
  },
  {
    about: 'GeoJSON',
    content:
      '{"type": "Feature", "geometry": {"type": "Point", "coordinates": [10, 59]}, "properties": {"name": "Oslo"}}',
  },
  {
    about: 'a JSON-RPC message',
    content: '{"jsonrpc": "2.0", "method": "read_file", "params": {"path": "a"}, "id": 1}',
  },
  {
    about: 'an OpenAPI fragment',
    content: '{"paths": {"/read_file": {"get": {"parameters": [{"name": "path", "in": "query"}]}}}}',
  },
  // Definitions and results
  {
    about: 'a definition echoed',
    content:
      '{"type": "function", "function": {"name": "read_file", "description": "Reads", "parameters": {"type": "object", "properties": {"path": {"type": "string"}}}}}',
  },
  {
    about: 'a bare definition',
    content:
      '{"name": "read_file", "parameters": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}}',
  },
  {
    about: 'a definition in a tools tag',
    content:
      '<tools>\n{"name": "read_file", "parameters": {"type": "object", "properties": {"path": {"type": "string"}}}}\n</tools>',
  },
  { about: 'a result echoed', content: '{"name": "search_files", "results": ["a.txt", "b.txt"]}' },
  { about: 'a result with output', content: '{"tool": "run_command", "output": "ok", "exit_code": 0}' },
  { about: 'a tool message', content: '{"role": "tool", "name": "read_file", "content": "hello"}' },
  {
    about: 'a tool_result block',
    content:
      '{"type": "tool_result", "tool_use_id": "x", "name": "read_file", "input": {"path": "a"}, "content": "hello"}',
  },
  {
    about: 'a tool response',
    content:
      '<tool_response>\n{"name": "read_file", "content": "hello"}\n</tool_response>\nThe file says hello.',
  },
  // Code for the user
  {
    about: 'a call in a Python sample',
    content: `Run this:\n${fence('python', 'data = read_file(path="a.txt")\nprint(data)')}`,
  },
  { about: 'a JSON call in a Python sample', content: fence('python', `payload = ${call}`) },
  { about: 'a JSON call in a TypeScript sample', content: fence('ts', `const call = ${call};`) },
  { about: 'a JSON call in a shell sample', content: fence('bash', `curl -d '${call}' localhost:8080`) },
  { about: 'a JSON call in a diff', content: fence('diff', `+${call}`) },
  {
    about: 'a JSON fence in a Markdown sample',
    content: `The README:\n${fence('markdown', `# Calls\n\n\`\`\`json\n${call}`)}`,
  },
  {
    about: 'a fence in a fence of four backticks',
    content: `\`\`\`\`md\n${fence('json', call)}\n\n${fence('tool_code', 'read_file(path="a.txt")')}\n\`\`\`\``,
  },
  { about: 'a JSON call in a sample between tildes', content: `~~~python\npayload = ${call}\n~~~` },
  {
    about: 'an example of a call in a JSON fence',
    content: `Here is an example of a tool call:\n\n${fence('json', call)}\n\nThe documentation is completed.`,
  },
  { about: 'a JSON call in YAML', content: fence('yaml', `call: ${call}`) },
  {
    about: 'a tag in a Python sample',
    content: fence('python', `text = """<tool_call>${call}</tool_call>"""`),
  },
  {
    about: 'a tag in an HTML sample',
    content: fence('html', '<div><read_file><path>a.txt</path></read_file></div>'),
  },
  {
    about: 'a tag in a Markdown sample',
    content: fence('markdown', `Write:\n\n<tool_call>${call}</tool_call>`),
  },
  { about: 'a JSON call in a sample that is cut off', content: `\`\`\`python\npayload = ${call}\nprint(` },
  {
    about: 'a JSON call in a sample after a plain fence',
    content: `${fence('', 'x = 1')}\n\n${fence('python', `payload = ${call}`)}`,
  },
  { about: 'code with braces', content: 'for (const name of names) { log({ name, arguments: [] }); }' },
  { about: 'a Python dictionary', content: "config = {'name': 'app', 'arguments': []}" },
  { about: 'a C struct', content: 'struct call { char *name; struct args arguments; };' },
  { about: 'HTML', content: '<p>Hello <b>world</b></p><script>read()</script>' },
  { about: 'XML', content: '<config><name>read</name><path>a.txt</path></config>' },
  { about: 'JSX', content: '<List items={[{ name: "a" }]} render={(item) => <b>{item.name}</b>} />' },
  // Quotations
  { about: 'a call in inline code', content: `A call looks as follows: \`${call}\`, in one line.` },
  { about: 'a tag in inline code', content: `Write \`<tool_call>${call}</tool_call>\` to call it.` },
  { about: 'an announced example', content: `For example, ${call} reads a.txt.` },
  { about: 'an announced tag', content: `The syntax is <tool_call>${call}</tool_call>, nothing else.` },
  { about: 'what the user wrote', content: `The user typed ${call} by mistake.` },
  // Thoughts
  { about: 'a call in thoughts', content: `<think>I could write ${call}</think>I need no tool for that.` },
  {
    about: 'a tag in thoughts',
    content: `<think>Maybe <tool_call>${call}</tool_call>?</think>No, the answer is 4.`,
  },
  {
    about: 'a call in thoughts that the template opened',
    content: `I could write ${call}</think>The answer is 4.`,
  },
  { about: 'a call in thoughts that never end', content: `The answer is 4.<think>Or ${call}` },
  {
    about: 'a tag in unclosed thinking, followed by words',
    content: `The answer is 4.<think>I could write <tool_call>${call}</tool_call>, but first`,
  },
  {
    about: 'a section in unclosed thinking, followed by words',
    content:
      'The answer is 4.<think>I could write <|tool_calls_section_begin|><|tool_call_begin|>functions.read_file:0<|tool_call_argument_begin|>{"path": "a.txt"}<|tool_call_end|><|tool_calls_section_end|> but first',
  },
  {
    about: 'a call in Command R thoughts',
    content: `<|START_THINKING|>Or ${call}<|END_THINKING|>The answer is 4.`,
  },
  {
    about: 'a call in gpt-oss thoughts',
    content: `<|channel|>analysis<|message|>Or ${call}<|end|><|start|>assistant<|channel|>final<|message|>4`,
  },
  // Broken off
  { about: 'a call cut in its path', content: '{"name": "read_file", "arguments": {"path": "src/ma' },
  {
    about: 'a marked call cut in its content',
    content: '<tool_call>{"name": "write_file", "arguments": {"path": "a", "content": "half',
  },
  {
    about: 'a marked call cut in a number',
    content: '<tool_call>{"name": "read_file", "arguments": {"path": "a", "start_line": 12',
  },
  {
    about: 'a parameter cut',
    content:
      '<tool_call>\n<function=write_file>\n<parameter=path>\na\n</parameter>\n<parameter=content>\nhalf',
  },
  { about: 'a Python call cut', content: "<|tool_call_start|>[write_file(path='a', content='half" },
  {
    about: 'a call that holds a call, cut',
    content: `<tool_call>{"name": "write_file", "arguments": {"path": "a", "content": ${JSON.stringify(call)}, "mo`,
  },
];
