import type { Check } from '../events/check.ts';
import type { JsonObject } from '../util/json.ts';
import { SampleLog } from './sample-logs.ts';

/** A value that must never leave, and a text that may contain it. */
export interface PlantedSecret {
  name: string;
  /** The value to search for in the exported bytes. */
  secret: string;
  text: string;
}

const planted: PlantedSecret[] = [];

/** The pieces are joined here, so that no scanner mistakes this file for a leak. */
function plant(
  name: string,
  pieces: readonly string[],
  around: (secret: string) => string = (text) => text,
): void {
  const secret = pieces.join('');
  planted.push({ name, secret, text: around(secret) });
}

const A = 'q7Rz2LmX9vKb4TnW8sYd';
const B = 'H3cJ6pFgU1aEoZ5iDx0B';
const HEX = '0f3a9b7c5d1e8246';

plant('aws access key', ['AKI', 'A', 'J7Q2ZPLMNX4RTYW8']);
plant('aws secret key', [A, '/', B], (it) => `aws_secret_access_key = ${it}`);
plant('github token', ['gh', 'p_', A, B.slice(0, 16)], (it) => `remote: https://${it}@github.com/a/b.git`);
plant('github fine-grained token', ['github', '_pat_', A, '_', B, A], (it) => `GH_TOKEN=${it}`);
plant('gitlab token', ['glp', 'at-', A], (it) => `PRIVATE-TOKEN: ${it}`);
plant('slack token', ['xo', 'xb-', '2412345678-2512345678-', A]);
plant('slack webhook', ['hooks.slack', '.com/services/', 'T024BE7LD/B04KQ9Z2M/', A], (it) => `https://${it}`);
plant('stripe key', ['sk', '_live_', A, B], (it) => `stripe.api_key = "${it}"`);
plant('openai key', ['sk', '-', A, B, A.slice(0, 8)], (it) => `OPENAI_API_KEY=${it}`);
plant('openai project key', ['sk', '-proj-', A, '_', B, '-', A]);
plant('anthropic key', ['sk', '-ant-', 'api03-', A, B], (it) => `x-api-key: ${it}`);
plant('google api key', ['AI', 'za', 'Sy', A, B.slice(0, 13)], (it) => `?key=${it}&q=1`);
plant('web token', ['ey', 'JhbGciOiJIUzI1NiJ9', '.eyJ', 'zdWIiOiIxMjM0NTY3ODkwIn0', '.', A, B]);
plant('private key', ['MIIEpAIBAAKCAQEA', A, B], (it) =>
  ['-----BEGIN RSA PRIVATE', ` KEY-----\n${it}\n-----END RSA PRIVATE`, ' KEY-----'].join(''),
);
plant('ssh key', ['b3BlbnNzaC1rZXktdjEA', A, B], (it) =>
  ['-----BEGIN OPENSSH', ` PRIVATE KEY-----\n${it}\n`].join(''),
);
plant('npm token', ['np', 'm_', A, B.slice(0, 16)], (it) => `//packages.example.org/:_authToken=${it}`);
plant('basic-auth address', ['s3cr3t', 'W0rd'], (it) => `curl https://deploy:${it}@ci.example.com/job`);
plant('bearer header', [A, '.', B], (it) => `Authorization: Bearer ${it}`);
plant('password', ['correct', '-horse-9'], (it) => `password=${it}`);
plant('quoted password', ['Tr0ub4', 'dor&3 x'], (it) => `{"db_password": "${it}"}`);
plant('line of .env', ['9f8e7d', '6c5b4a'], (it) => `SESSION_SECRET=${it}`);
plant('database address', ['pg', 'P4ss!x'], (it) => `postgres://app:${it}@db.example.com:5432/app`);
plant(
  'azure storage key',
  [A, B, '+/', A, '=='],
  (it) => `DefaultEndpointsProtocol=https;AccountName=x;AccountKey=${it}`,
);
plant('sendgrid key', ['S', 'G.', A, '.', B, A], (it) => `sendgrid: ${it}`);
plant('twilio key', ['S', 'K', HEX, HEX]);
plant('hugging face token', ['h', 'f_', A, B.slice(0, 14)]);
plant('pypi token', ['py', 'pi-AgE', 'IcHlwaS5vcmc', A, B]);
plant('telegram token', ['712345', '6789:', 'AAF', A, B.slice(0, 12)]);
plant('vault token', ['hv', 's.', A, B]);
plant('high-entropy value beside a key', [A, B], (it) => `license key: ${it}`);
plant('escaped json', ['gh', 's_', B, A.slice(0, 16)], (it) => `{\\"log\\":\\"first\\n${it}\\"}`);
plant('command line', ['hunter', '2-and-3'], (it) => `mysql --password ${it} -h db`);
plant('curl user', ['s0me', 'pass'], (it) => `curl -u ada:${it} https://example.com`);
plant('e-mail address', ['ada', '.lovelace@', 'analytical.org'], (it) => `Author: Ada <${it}>`);
plant('home path', ['/home/', 'ada'], (it) => `${it}/projects/quarterly-reports/notes.md`);
plant('other home path', ['/Users/', 'grace'], (it) => `open ${it}/Desktop/x`);
plant('windows home path', ['C:', '\\Users\\', 'linus'], (it) => `${it}\\Documents`);
plant('private address', ['192.168', '.17.4'], (it) => `ping ${it}`);
plant('other private address', ['10.20', '.30.40'], (it) => `http://${it}:8080/`);
plant('private ipv6', ['fd12:3456', ':789a::1'], (it) => `inet6 ${it}/64`);
plant('local name', ['nas', '-4.local'], (it) => `mount ${it}:/data`);

/** Things of more than 20 kinds that no share and no file may contain. */
export const PLANTED_SECRETS: readonly PlantedSecret[] = planted;

/** A value of the server's environment, as a caller gives it. */
export const PLANTED_ENVIRONMENT = ['internal-build-', 'codename-zephyr'].join('');

/**
 * A log with every planted secret in every kind of text: task, prompts, arguments and their names, replies, thoughts,
 * results, errors, messages, memories, checks and the answer.
 */
export function plantedLog(options: ConstructorParameters<typeof SampleLog>[0] = {}): SampleLog {
  const all = [...PLANTED_SECRETS.map(({ text }) => text), PLANTED_ENVIRONMENT].join('\n');
  const each = Object.fromEntries(PLANTED_SECRETS.map(({ name, text }) => [name.replaceAll(' ', '_'), text]));
  const log = new SampleLog({
    ...options,
    config: {
      task: `Look at this: ${all}`,
      title: 'Mail ada.lovelace@analytical.org',
      system: all,
      checks: plantedChecks(all, each),
      ...options.config,
    },
  });
  log.push({ type: 'run.started', worker: 'nas-4.local', epoch: 1 });
  log.push({
    type: 'attempt.started',
    attempt: 1,
    messages: [
      { role: 'system', content: all },
      { role: 'user', content: all },
    ],
    tools: [
      { type: 'function', function: { name: 'run_command', description: all, parameters: { example: all } } },
    ],
    log_path: '/home/ada/projects/quarterly-reports/session.log',
  });
  log.push({ type: 'iteration.started', attempt: 1, iteration: 1 });
  log.push({
    type: 'model-call.started',
    call: 1,
    iteration: 1,
    message_count: 2,
    tool_count: 1,
    options: { stop: all },
    think: true,
    stream: true,
    estimated_tokens: 100,
  });
  const written = `${all}\n<tool_call>{"name":"run_command"}</tool_call>`;
  log.push({
    type: 'model-call.ended',
    call: 1,
    message: {
      role: 'assistant',
      content: written,
      thinking: all,
      tool_calls: [{ function: { name: 'run_command', arguments: { ...each, command: all } } }],
    },
    duration_ms: 10,
    timings: {},
  });
  log.push({
    type: 'reply.parsed',
    call: 1,
    iteration: 1,
    outcome: 'tool_calls',
    layer: 'xml',
    format: 'hermes',
    calls: [
      {
        call_id: 'c1',
        name: 'run_command',
        arguments: {
          ...each,
          command: all,
          list: PLANTED_SECRETS.map(({ text }) => text),
          [all.slice(0, 400)]: 1,
        },
        layer: 'xml',
        format: 'hermes',
        span: { in: 'content', start: written.indexOf('<tool_call>'), end: written.length },
      },
    ],
    text: all,
    thinking: all,
    coercions: [{ call: 0, path: 'command', before: all, after: all }],
    repairs: [{ call: 0, rule: 'quotes', before: all, after: all }],
    refusals: [{ reason: 'malformed', raw: all, message: all }],
    attempts: [],
    malformed: false,
    cut: false,
  });
  log.push({
    type: 'approval.requested',
    call_id: 'c1',
    iteration: 1,
    tool: 'run_command',
    arguments: { command: all },
  });
  log.push({
    type: 'approval.decided',
    call_id: 'c1',
    tool: 'run_command',
    decision: 'edited',
    arguments: { command: all },
    reason: all,
    by: 'operator',
  });
  log.push({ type: 'tool-call.started', call_id: 'c1', iteration: 1, tool: 'run_command' });
  const asked = { request_id: 'q1', call_id: 'c1' };
  log.push({
    type: 'mcp-request.received',
    ...asked,
    server: 'asker',
    request: {
      kind: 'form',
      message: all,
      fields: [{ name: 'note', title: all, description: all, kind: 'text', required: false, preset: all }],
    },
  });
  log.push({
    type: 'mcp-request.answered',
    ...asked,
    action: 'accept',
    content: { note: all, notes: [all] },
    by: 'operator',
  });
  log.push({
    type: 'mcp-request.received',
    request_id: 'q2',
    call_id: 'c1',
    server: 'asker',
    request: { kind: 'sampling', system: all, messages: [{ role: 'user', text: all }], max_tokens: 5 },
  });
  log.push({ type: 'mcp-request.answered', ...asked, request_id: 'q2', action: 'accept', by: 'operator' });
  log.push({ type: 'mcp-sampling.started', ...asked, request_id: 'q2', options: { stop: [all] } });
  log.push({ type: 'mcp-sampling.ended', ...asked, request_id: 'q2', text: all, duration_ms: 3 });
  log.push({
    type: 'mcp-request.received',
    request_id: 'q3',
    call_id: 'c1',
    server: 'asker',
    request: { kind: 'url', message: all, url: `https://example.org/?q=${all}` },
  });
  log.push({ type: 'mcp-request.answered', ...asked, request_id: 'q3', action: 'decline', by: 'operator' });
  log.push({ type: 'mcp-messages.logged', call_id: 'c1', server: 'asker', lines: [all] });
  log.push({
    type: 'tool-call.ended',
    call_id: 'c1',
    tool: 'run_command',
    result: { success: true, tool: 'run_command', output: { stdout: all, stderr: all, ...each } },
    duration_ms: 3,
  });
  log.push({
    type: 'tool-call.interrupted',
    call_id: 'c1',
    tool: 'run_command',
    result: { success: false, tool: 'run_command', output: { error: all }, note: all },
  });
  log.push({
    type: 'model-call.failed',
    call: 2,
    kind: 'bad_response',
    error: { code: 'bad_response', message: all, hint: all },
    partial_text: all,
    partial_thinking: all,
    visible_text: all,
    raw: all,
    duration_ms: 3,
  });
  log.push({ type: 'policy.retried', iteration: 1, cause: 'transient', message: all, wait_ms: 0 });
  log.push({ type: 'server-wait.started', error: { code: 'model_unreachable', message: all }, limit_ms: 1 });
  log.push({ type: 'server-wait.ended', outcome: 'back', waited_ms: 1 });
  log.push({ type: 'policy.nudged', iteration: 1, cause: 'plan', text: all, count: 1, limit: 2 });
  log.push({
    type: 'policy.compacted',
    iteration: 1,
    before_tokens: 2,
    after_tokens: 1,
    limit_tokens: 2,
    folded: [{ message: 1, kind: 'one-line', before_chars: 9, content: all }],
  });
  log.push({ type: 'policy.warned', code: 'note', message: all, detail: { text: all, ...each } });
  log.push({
    ...{ type: 'verification.started', attempt: 1, reason: 'timeout', output: all },
    error: { code: 'error', message: all, hint: all },
  });
  log.push({
    type: 'verification.checked',
    attempt: 1,
    outcome: 'fail',
    checks: [
      ...plantedChecks(all, each).map((check) => ({ check, passed: false, output: all, duration_ms: 1 })),
    ],
    opinions: [
      {
        check: { type: 'rubric', criteria: all.slice(0, 10_000) },
        ...{ model: 'qwen3:8b', prompt: all, reply: all, verdict: 'fail', reason: all, duration_ms: 1 },
      },
    ],
  });
  log.push({ type: 'harness.prompted', iteration: 1, text: all });
  log.push({ type: 'cycle.started', cycle: 1, line: all });
  log.push({ type: 'cycle.reflected', cycle: 1, text: all, ended_by: 'reflection' });
  log.push({ type: 'memory.changed', call_id: 'c1', cycle: 1, operation: 'write', key: all, value: all });
  log.push({ type: 'operator.messaged', message_id: 'm1', text: all });
  log.push({ type: 'agent.messaged', call_id: 'c1', cycle: 1, text: all });
  log.push({
    type: 'run.ended',
    result: {
      status: 'failed',
      output: all,
      model_used: 'qwen3:8b',
      tokens_in: 1,
      tokens_out: 1,
      error: { code: 'error', message: all, hint: all },
      termination_reason: 'error',
      iterations_used: 1,
    },
    message: all,
    evidence: [],
    cost_usd: 0,
    tool_calls: 1,
    files_written: ['/home/ada/x'],
  });
  return log;
}

/** The planted secrets in a text, plain or JSON-escaped. */
export function leaksIn(text: string): string[] {
  const leaks = PLANTED_SECRETS.filter(
    ({ secret }) => text.includes(secret) || text.includes(JSON.stringify(secret).slice(1, -1)),
  ).map(({ name }) => name);
  return text.includes(PLANTED_ENVIRONMENT) ? [...leaks, 'environment'] : leaks;
}

/** A check of each kind with a text, with the secrets in it. */
function plantedChecks(all: string, each: JsonObject): Check[] {
  return [
    { type: 'command', command: `test ${all}`.slice(0, 4000) },
    { type: 'file_contains', path: 'a.md', text: all.slice(0, 10_000) },
    { type: 'answer_contains', text: all.slice(0, 10_000) },
    { type: 'answer_matches', pattern: all.slice(0, 1000) },
    { type: 'answer_equals', value: all.slice(0, 10_000) },
    { type: 'answer_schema', schema: { enum: [all], properties: { login: { const: each } } } },
    { type: 'tool_called', tool: 'read_file', arguments: each },
  ];
}
