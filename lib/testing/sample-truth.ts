import { SampleLog } from './sample-logs.ts';

const list = {
  name: 'list_directory',
  arguments: { path: '.' },
  result: { output: ['report.md', 'tale.txt'] },
};

/** A run in which Ollama did everything that it does silently: a half-loaded model, another client, a cut prompt. */
export function truthLog(options: { at?: number } = {}): SampleLog {
  const log = new SampleLog({ ...options, config: { live_tokens: true } });
  log.push({ type: 'run.started', worker: 'web-1', epoch: 1 }, 12);
  log.push(
    {
      type: 'preflight.checked',
      server_version: '0.9.6',
      capabilities: ['completion', 'tools', 'thinking'],
      max_context_tokens: 40_960,
      parameter_size: '20.9B',
      quantization: 'MXFP4',
      size_bytes: 13_800_000_000,
      sandbox: { available: true, kind: 'bubblewrap' },
    },
    38,
  );
  load(log, {}, 41_200);
  log.attempt().round({ text: 'I look around.', thinking: 'What is here?', calls: [list], ms: 6200 });
  load(log, { cause: 'other_window', found_context_tokens: 8192 }, 18_300);
  log.round({ calls: [list], ms: 3100, loadMs: 2400 });
  load(log, { cause: 'unloaded' }, 12_800);
  log.iteration().callStarts().reply({ text: 'What was I to do?', ms: 2400 });
  log.push({
    type: 'policy.warned',
    code: 'prompt_cut',
    iteration: 3,
    message:
      'Prompt cut: sent ≈ 9,904 tokens, evaluated 4,096. Most likely lost, from the front: user “Read the three reports”, assistant “I look around.” and 2 more.',
    detail: {
      call: 3,
      sent_tokens: 9904,
      evaluated_tokens: 4096,
      lost_count: 4,
      lost: [
        {
          index: 1,
          role: 'user',
          excerpt: 'Read the three reports in this folder and compare their figures',
          tokens: 38,
        },
        { index: 2, role: 'assistant', excerpt: 'I look around.', tokens: 21 },
        {
          index: 3,
          role: 'tool',
          excerpt: '{"success":true,"tool":"list_directory","output":["report.md"]}',
          tokens: 20,
        },
        {
          index: 4,
          role: 'tool',
          excerpt: '{"success":true,"tool":"read_file","output":"and so the tale goes on',
          tokens: 5760,
        },
      ],
    },
  });
  log.end('final_answer', { message: 'Answered in iteration 3.', output: 'What was I to do?' });
  return log;
}

function load(
  log: SampleLog,
  why: { cause?: 'unloaded' | 'other_window'; found_context_tokens?: number },
  ms: number,
): void {
  log.push({ type: 'model.load-started', model: 'gpt-oss:20b', num_ctx: 32_768, ...why });
  log.push(
    {
      type: 'model.loaded',
      already_loaded: false,
      load_ms: ms,
      context_tokens: 32_768,
      size_bytes: 17_900_000_000,
      vram_bytes: 12_300_000_000,
    },
    ms,
  );
}

/** A model that twice thinks until its limit, without an answer. */
export function eatenLog(options: { at?: number } = {}): SampleLog {
  const log = new SampleLog({ ...options, config: { think: true } }).prepare().iteration();
  for (const tokens of [2048, 4096]) {
    log.callStarts();
    const started = log.events.at(-1);
    const call = started?.type === 'model-call.started' ? started.call : 0;
    log.push(
      {
        type: 'model-call.ended',
        call,
        message: { role: 'assistant', content: '', thinking: 'I should think about this again. '.repeat(40) },
        done_reason: 'length',
        prompt_tokens: 1504,
        reply_tokens: 2048,
        duration_ms: 61_000,
        timings: { totalMs: 61_000, loadMs: 20, promptEvalMs: 900, evalMs: 60_000 },
        heard: { thinking_ms: 950 },
      },
      61_000,
    );
    log.push({
      type: 'reply.parsed',
      call,
      iteration: 1,
      outcome: 'empty',
      layer: 'none',
      calls: [],
      text: '',
      thinking: 'I should think about this again. '.repeat(40),
      coercions: [],
      repairs: [],
      refusals: [],
      attempts: [],
      malformed: false,
      cut: true,
    });
    if (tokens === 2048) {
      log.push({
        type: 'policy.retried',
        iteration: 1,
        cause: 'length',
        message: 'The reply was cut off at 2,048 tokens.',
        wait_ms: 0,
      });
    }
  }
  return log.end('nudge_exhausted', {
    message: 'The model stayed silent after 2 nudges.',
    evidence: [log.seq],
  });
}

/** A run that was asked to stop, then forced to, in the middle of a call. */
export function stoppedCallLog(options: { at?: number } = {}): SampleLog {
  const log = new SampleLog(options)
    .prepare()
    .round({ calls: [list] })
    .iteration()
    .callStarts();
  log.push({ type: 'stop.requested', force: false, by: 'operator' }, 5200);
  log.push({ type: 'stop.requested', force: true, by: 'operator' }, 2100);
  log.callFails(
    {
      kind: 'aborted',
      error: { code: 'model_aborted', message: 'The model call was stopped.' },
      server_idle_ms: 64,
    },
    90,
  );
  return log.end('stopped', { message: 'Stopped immediately, in iteration 2.', forced: true });
}
