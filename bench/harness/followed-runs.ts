import { Agent, get, type IncomingMessage, request } from 'node:http';
import type { RunReply } from '../../lib/api/replies.ts';
import type { RunEvent } from '../../lib/events/registry.ts';
import { readPlan, reportRuns } from './timed-runs.ts';

// Runs of Loupe as a client sees them: started over HTTP, followed over server-sent events to their end.

const plan = readPlan();
const { urls, token, request: settings } = plan.loupe ?? { urls: [], token: '', request: {} };
const authorization = `Bearer ${token}`;
const agent = new Agent({ keepAlive: true });

function postRun(url: string, model: string): Promise<RunReply> {
  const body = JSON.stringify({ mode: 'task', task: 'Read the files of the project.', model, ...settings });
  const headers = {
    authorization,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  };
  return new Promise((resolve, reject) => {
    request(`${url}/api/runs`, { method: 'POST', agent, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (data: string) => {
        text += data;
      });
      response.on('end', () => {
        if (response.statusCode === 201) resolve(JSON.parse(text));
        else reject(new Error(`POST answered ${response.statusCode}: ${text.slice(0, 300)}`));
      });
    })
      .on('error', reject)
      .end(body);
  });
}

/** The event in a block of the stream, unless it has none: a comment, or a delta. */
function eventIn(block: string): string | undefined {
  return /^id: /m.test(block) ? /^data: (.*)$/m.exec(block)?.[1] : undefined;
}

/** Follows a run to its last event. @throws {Error} when an event is missing, or it did not end with its answer */
function follow(url: string, id: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let seen = 0;
    const read = (response: IncomingMessage) => {
      if (response.statusCode !== 200) reject(new Error(`The stream answered ${response.statusCode}`));
      let rest = '';
      response.setEncoding('utf8').on('data', (data: string) => {
        const blocks = (rest + data).split('\n\n');
        rest = blocks.pop() ?? '';
        for (const block of blocks) {
          const text = eventIn(block);
          if (text === undefined) continue;
          const seq = Number(/^id: (\d+)/m.exec(block)?.[1]);
          seen += 1;
          if (seq !== seen) reject(new Error(`Event ${seq} came as number ${seen}`));
          if (!text.includes('"run.ended"')) continue;
          const event: RunEvent = JSON.parse(text);
          if (event.type !== 'run.ended') continue;
          asking.destroy();
          if (text.includes('"final_answer"')) resolve();
          else reject(new Error(`The run ended without its answer: ${text.slice(0, 300)}`));
        }
      });
      response.on('end', () => reject(new Error(`The stream ended after ${seen} events`)));
    };
    const headers = { authorization, accept: 'text/event-stream' };
    const asking = get(`${url}/api/runs/${id}/events`, { agent: false, headers }, read);
    asking.on('error', reject);
  });
}

await reportRuns(plan, async (model, index) => {
  const url = urls[index % urls.length] ?? '';
  const { run } = await postRun(url, model);
  await follow(url, run.id);
});
