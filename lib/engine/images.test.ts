import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { createRunRequest } from '../api/create-run.ts';
import { AppError } from '../errors/app-error.ts';
import { IMAGE_LIMITS } from '../events/limits.ts';
import { runEvent } from '../events/registry.ts';
import { readImage } from '../images/read-image.ts';
import { resolveConfig } from '../modes/resolve-config.ts';
import { runImagesIn } from '../runs/run-images.ts';
import type { StoredImage } from '../store/image-store.ts';
import { eventsOf } from '../testing/events-of.ts';
import { type PlayOptions, play, stop, until } from '../testing/loop-harness.ts';
import { jpegImage, pngImage } from '../testing/sample-images.ts';

const SIGHTED = ['completion', 'tools', 'vision'];

/** The images of one run in memory, as a store keeps them; the first reads find a store that does not answer. */
function memoryImages(busyReads = 0) {
  const kept = new Map<string, StoredImage>();
  let reads = 0;
  const images = runImagesIn(
    {
      image: async (_, hash) => {
        reads += 1;
        if (reads > busyReads) return kept.get(hash);
        throw new AppError({ code: 'store_busy', message: 'The database does not answer.' });
      },
      keepImages: async (_, stored) => {
        for (const image of stored) kept.set(image.hash, image);
      },
    },
    'run',
    new AbortController().signal,
  );
  return { kept, images };
}

/** Plays a run with an image attached to its task and another in its folder. */
async function playWithImages(
  steps: Parameters<typeof play>[1],
  {
    capabilities = SIGHTED,
    side = 64,
    busyReads = 0,
    ...options
  }: { capabilities?: string[]; side?: number; busyReads?: number } & PlayOptions = {},
) {
  const { kept, images } = memoryImages(busyReads);
  const { ref, data } = await readImage(
    { name: 'chart.png', data: pngImage(side, (side * 3) / 4) },
    new AbortController().signal,
  );
  kept.set(ref.hash, { hash: ref.hash, type: ref.type, data });
  const run = await play(
    (workspace) => {
      writeFileSync(join(workspace, 'photo.jpg'), jpegImage(100, 80));
      const request = createRunRequest.parse({ model: 'play', task: 'Describe the chart.' });
      return {
        ...resolveConfig(request, { workspace, offeredTools: ['read_file'] }),
        images: [ref],
      };
    },
    steps,
    {
      ...options,
      fake: { models: [{ name: 'play', capabilities, context_length: 2_000_000 }] },
      loop: (given) => ({ images, ...options.loop?.(given) }),
    },
  );
  return { run, ref, kept, data };
}

/** Plays a session in which two messages bring the same image. */
async function playSession(capabilities: string[]) {
  const { kept, images } = memoryImages();
  const { ref, data } = await readImage({ name: 'late.png', data: pngImage() }, new AbortController().signal);
  kept.set(ref.hash, { hash: ref.hash, type: ref.type, data });
  return play({ mode: 'session', task: 'Hello.' }, [{ repeat: 3, steps: [done] }], {
    fake: { models: [{ name: 'play', capabilities, context_length: 2_000_000 }] },
    loop: () => ({ images }),
    during: async ({ log }) => {
      const untilWaiting = (times: number) =>
        until(log, (events) => eventsOf(events, 'message.awaited').length === times);
      for (const times of [1, 2]) {
        await untilWaiting(times);
        const message_id = `m${times}`;
        log.append([{ type: 'operator.messaged', message_id, text: 'Look at this.', images: [ref] }]);
      }
      await untilWaiting(3);
    },
  });
}

const reading = { reply: { tool_calls: [{ name: 'read_file', arguments: { path: 'photo.jpg' } }] } };
const done = { reply: { content: 'It is a chart.' } };

const wireImages = (message: unknown) => (message as { images?: string[] } | undefined)?.images;

describe('a model that can see', () => {
  it('gets the images although the store did not answer at first', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const { run, data } = await playWithImages([done], { busyReads: 2 });
    await using played = run;
    expect(played.end.result.termination_reason).toBe('final_answer');
    expect(wireImages(played.sent(0)[1])).toEqual([Buffer.from(data).toString('base64')]);
    warn.mockRestore();
  });

  it('gets the images of the task and those that tools return, as base64 [O20]', async () => {
    const { run, ref, kept, data } = await playWithImages([reading, done]);
    await using played = run;
    expect(played.end.result.termination_reason).toBe('final_answer');
    const [, task, , result] = played.sent(1);
    expect(wireImages(task)).toEqual([Buffer.from(data).toString('base64')]);
    const [photo] = wireImages(result) ?? [];
    expect(photo).toMatch(/^\/9j\//);
    const [ended] = played.of('tool-call.ended');
    expect(ended?.images).toEqual([
      expect.objectContaining({ type: 'jpeg', width: 100, height: 80, name: 'photo.jpg' }),
    ]);
    expect(ended?.result).toMatchObject({
      success: true,
      output: { path: 'photo.jpg', image: 'JPEG, 100 × 80 pixels' },
    });
    expect([...kept.keys()]).toEqual([ref.hash, ended?.images?.[0]?.hash]);
    expect(JSON.stringify(played.log.events)).not.toContain(photo);
  });

  it('has its images in the estimate, corrected by what the server counts', async () => {
    const { run } = await playWithImages([reading, done]);
    await using played = run;
    const { factor } = played.log.state.images;
    expect(factor).toBeGreaterThan(0);
    const [first, second] = played.of('model-call.started');
    expect((second?.estimated_tokens ?? 0) - (first?.estimated_tokens ?? 0)).toBeGreaterThan(100);
  });

  it('is not warned about prompts that seem to be cut, however few tokens an image takes', async () => {
    const { run } = await playWithImages([{ reply: { content: 'A chart.', prompt_eval_count: 900 } }], {
      side: 1280,
    });
    await using played = run;
    expect(played.of('policy.warned').map(({ code }) => code)).toEqual([]);
  });
});

describe('a model that cannot see', () => {
  it('gets text that lists the images, and the operator is warned', async () => {
    const { run } = await playWithImages([reading, done], { capabilities: ['completion', 'tools'] });
    await using played = run;
    expect(played.end.result.termination_reason).toBe('final_answer');
    const [, task, , result] = played.sent(1);
    expect(wireImages(task)).toBeUndefined();
    expect(task?.content).toMatch(/that you cannot see: chart\.png \(PNG, 64 × 48, .*\)\.\]$/);
    const told: unknown = JSON.parse(result?.content ?? '');
    expect(told).toMatchObject({
      success: true,
      note: expect.stringContaining('cannot see: photo.jpg (JPEG, 100 × 80'),
    });
    expect(played.of('policy.warned').map(({ code }) => code)).toEqual(['images_unseen']);
  });

  it('gets text for the images of messages, too, and the operator is warned once', async () => {
    await using run = await playSession(['completion', 'tools']);
    expect(run.sent(2).map(({ content }) => content)).toContainEqual(
      expect.stringContaining('that you cannot see: late.png'),
    );
    expect(run.of('operator.delivered')).toHaveLength(2);
    expect(run.of('policy.warned').map(({ code }) => code)).toEqual(['images_unseen']);
  });

  it('is reported where a fork takes over messages with images', async () => {
    await using source = await playSession(SIGHTED);
    expect(source.of('policy.warned')).toEqual([]);
    const { seq, runId } = source.log.state;
    const events = [...source.log.events];
    for (const event of [
      {
        ...{ type: 'run.forked', from: { run_id: runId, seq }, edits: [], settings: [] },
        ...{ iteration: 3, cycle: 0, answered: false, continues: true, files: { kind: 'empty' } },
      },
      { type: 'operator.messaged', message_id: 'm3', text: 'And now?' },
      { type: 'run.started', worker: 'test', epoch: 1 },
    ]) {
      events.push(runEvent.parse({ run_id: runId, seq: events.length + 1, at: 0, ...event }));
    }
    await using fork = await play({ mode: 'session' }, [done], { events });
    expect(fork.of('policy.warned').map(({ code }) => code)).toEqual(['images_unseen']);
  });
});

it('the result names the images of a tool that were left out, and why', async () => {
  const { images } = memoryImages();
  await using run = await play(
    (workspace) => {
      writeFileSync(join(workspace, 'cut.png'), pngImage().subarray(0, 60));
      const request = createRunRequest.parse({ model: 'play', task: 'Look.' });
      return resolveConfig(request, { workspace, offeredTools: ['read_file'] });
    },
    [{ reply: { tool_calls: [{ name: 'read_file', arguments: { path: 'cut.png' } }] } }, done],
    { loop: () => ({ images }) },
  );
  const [ended] = run.of('tool-call.ended');
  expect(ended?.images).toBeUndefined();
  expect(ended?.result.note).toBe('An image was left out: "cut.png" is damaged and cannot be decoded.');
});

it('keeps no more of one run than its limit', async () => {
  const { images } = memoryImages();
  const kept = new Map([['0'.repeat(64), IMAGE_LIMITS.max_run_bytes]]);
  const { refusals } = await images.keep(
    [{ name: 'late.png', data: pngImage() }],
    kept,
    new AbortController().signal,
  );
  expect(refusals).toEqual([
    'An image was left out: "late.png" does not fit: the images of a run take at most 24 MB.',
  ]);
});

it('an image that the store does not have is replaced by words', async () => {
  const { run } = await playWithImages([done], {
    loop: () => ({
      images: { keep: async () => ({ images: [], refusals: [] }), load: async () => undefined },
    }),
  });
  await using played = run;
  expect(played.sent(0)[1]?.content).toContain('Images that are no longer there: chart.png');
});

it('a stop while an image is read leaves it out, and the run ends as stopped', async () => {
  const reading = Promise.withResolvers<void>();
  await using run = await play(
    (workspace) => {
      writeFileSync(join(workspace, 'shot.png'), pngImage());
      const request = createRunRequest.parse({ model: 'play', task: 'Look.' });
      return resolveConfig(request, { workspace, offeredTools: ['read_file'] });
    },
    [{ reply: { tool_calls: [{ name: 'read_file', arguments: { path: 'shot.png' } }] } }, done],
    {
      loop: () => ({
        images: {
          keep: (_, __, signal) => {
            reading.resolve();
            return new Promise((_, reject) => {
              signal.addEventListener('abort', () => reject(signal.reason));
            });
          },
          load: async () => undefined,
        },
      }),
      during: async ({ log }) => {
        await reading.promise;
        log.append([stop(true)]);
      },
    },
  );
  expect(run.end.result.termination_reason).toBe('stopped');
  expect(run.of('tool-call.ended')[0]?.result.note).toContain('stopped before its images were kept');
});
