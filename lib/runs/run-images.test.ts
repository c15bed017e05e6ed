import { afterEach, describe, expect, it } from 'vitest';
import type { RunEvent } from '../events/registry.ts';
import { exportedLog } from '../sharing/exports/exported-log.ts';
import { htmlExport } from '../sharing/exports/html-export.ts';
import { runFile } from '../sharing/exports/run-file.ts';
import { jpegImage, pngImage } from '../testing/sample-images.ts';
import {
  endsAfterMessage,
  openTestService,
  scripted,
  type TestService,
  untilMessaged,
} from '../testing/test-service.ts';

const attached = (data: Buffer, name: string) => ({ name, data: data.toString('base64') });
const assets = {
  ...{ script: 'show()', formulas: 'draw()', style: '' },
  ...{ scriptHash: 'sha256-A', formulasHash: 'sha256-C', styleHash: 'sha256-B' },
};
const opened: TestService[] = [];
afterEach(async () => {
  for (const test of opened.splice(0)) await test.dispose();
});

async function open(): Promise<TestService> {
  const test = await openTestService(scripted([]));
  opened.push(test);
  return test;
}

async function eventsOf({ service }: TestService, runId: string): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const page of service.stored.log(runId)) events.push(...page);
  return events;
}

async function endedRun(test: TestService): Promise<string> {
  const runId = await test.start({ images: [attached(pngImage(), 'chart.png')] });
  await test.service.ended(runId, AbortSignal.timeout(20_000));
  return runId;
}

async function bytesOf(pages: AsyncIterable<readonly unknown[]>): Promise<Buffer> {
  const lines: string[] = [];
  for await (const page of pages) lines.push(...page.map((value) => `${JSON.stringify(value)}\n`));
  return Buffer.from(lines.join(''));
}

async function* once(bytes: Buffer) {
  yield bytes;
}

describe('the images of a task', () => {
  it('are in the configuration by their hash, and their bytes in the store [O20]', async () => {
    const test = await open();
    const runId = await endedRun(test);
    const { config } = await test.service.stored.get(runId);
    expect(config.images).toEqual([
      expect.objectContaining({ name: 'chart.png', type: 'png', width: 64, height: 48 }),
    ]);
    const [{ hash, bytes } = { hash: '', bytes: 0 }] = config.images ?? [];
    expect((await test.service.stored.image(runId, hash)).data).toHaveLength(bytes);
    await expect(test.service.stored.image(runId, 'f'.repeat(64))).rejects.toMatchObject({
      code: 'image_not_found',
    });
  });

  it('make no run if one of them is refused', async () => {
    const test = await open();
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>');
    await expect(test.start({ images: [attached(svg, 'logo.png')] })).rejects.toMatchObject({
      code: 'image_refused',
      message: '"logo.png" is not an image that models can receive.',
    });
    expect(await test.store.summary('any')).toBeUndefined();
  });

  it('make a repeated request the same request', async () => {
    const test = await open();
    const images = [attached(pngImage(), 'chart.png')];
    const first = await test.start({ images }, 'key');
    expect(await test.start({ images }, 'key')).toBe(first);
    await expect(test.start({ images: [attached(jpegImage(), 'chart.png')] }, 'key')).rejects.toMatchObject({
      code: 'idempotency_conflict',
    });
  });

  it('are kept by a fork when the other run is deleted', async () => {
    const test = await open();
    const runId = await endedRun(test);
    const last = (await eventsOf(test, runId)).length;
    const { run, config } = await test.service.fork(runId, {
      at: { seq: last - 1 },
      edits: [],
      settings: {},
    });
    await test.service.ended(run.id, AbortSignal.timeout(20_000));
    await test.service.delete(runId);
    const [image] = config.images ?? [];
    expect((await test.service.stored.image(run.id, image?.hash ?? '')).type).toBe('png');
  });
});

it('a message has its images in its event', async () => {
  const test = await openTestService(async (execution) => {
    await untilMessaged(execution);
    return { outcome: 'suspended' };
  });
  opened.push(test);
  const runId = await test.start();
  const { message } = await test.service.message(runId, 'Look at this.', {
    images: [{ name: 'photo.jpg', data: jpegImage() }],
  });
  expect(message.images).toEqual([expect.objectContaining({ name: 'photo.jpg', type: 'jpeg' })]);
  const messaged = (await eventsOf(test, runId)).find(({ type }) => type === 'operator.messaged');
  expect(messaged).toMatchObject({ text: 'Look at this.', images: message.images });
});

it('sends a message with images once for a repeated key, and refuses the key for another image', async () => {
  const test = await openTestService(endsAfterMessage);
  opened.push(test);
  const runId = await test.start();
  const send = (data: Buffer) =>
    test.service.message(runId, 'Look.', { images: [{ name: 'photo', data }], idempotencyKey: 'key' });
  expect(await send(jpegImage())).toMatchObject({ created: true });
  await test.service.ended(runId, AbortSignal.timeout(20_000));
  expect(await send(jpegImage())).toMatchObject({ created: false, message: { id: 'm1' } });
  await expect(send(pngImage())).rejects.toMatchObject({ code: 'idempotency_conflict' });
  expect(await test.store.imagesOf(runId)).toHaveLength(1);
});

describe('a file of a run', () => {
  it('has only images that its events refer to, also of a fork from before an image', async () => {
    const test = await openTestService(endsAfterMessage);
    opened.push(test);
    const runId = await test.start({ images: [attached(pngImage(), 'chart.png')] });
    await test.service.message(runId, 'Look.', {
      images: [{ name: 'photo.jpg', data: jpegImage() }],
    });
    await test.service.ended(runId, AbortSignal.timeout(20_000));
    const { run } = await test.service.fork(runId, { at: { seq: 1 }, edits: [], settings: {} });
    await test.service.message(run.id, 'Go on.');
    await test.service.ended(run.id, AbortSignal.timeout(20_000));

    const images = await test.service.stored.imagesForFile(run.id);
    const bytes = await bytesOf(runFile(run.id, test.service.stored.log(run.id), {}, images));
    expect(bytes.toString().match(/\{"image":/g)).toHaveLength(1);
    const other = await open();
    expect((await other.service.importRun(once(bytes))).created).toBe(true);
  });

  it('has its images, and importing it brings them back', async () => {
    const test = await open();
    const runId = await endedRun(test);
    const images = await test.service.stored.imagesForFile(runId);
    const bytes = await bytesOf(runFile(runId, test.service.stored.log(runId), {}, images));
    expect(bytes.toString()).toMatch(/^\{"format":"loupe-run","version":2,/);
    const other = await open();
    const imported = await other.service.importRun(once(bytes));
    const [image] = imported.config.images ?? [];
    const kept = await other.service.stored.image(runId, image?.hash ?? '');
    expect(kept.data).toHaveLength(image?.bytes ?? 0);
    const again = await other.service.stored.imagesForFile(runId);
    expect(await bytesOf(runFile(runId, other.service.stored.log(runId), {}, again))).toEqual(bytes);
  });

  it('has no image of a message that the run refused, or of a part that its fork left out', async () => {
    const test = await open();
    const runId = await endedRun(test);
    const late = { name: 'photo.jpg', data: jpegImage() };
    await expect(test.service.message(runId, 'Too late.', { images: [late] })).rejects.toMatchObject({
      code: 'run_ended',
    });
    const { config } = await test.service.stored.get(runId);
    const known = config.images?.map(({ hash }) => hash);
    expect((await test.store.imagesOf(runId)).map(({ hash }) => hash)).toEqual(known);

    // A fork copies all images of its run, also those of later events.
    await test.store.keepImages(runId, [{ hash: 'f'.repeat(64), type: 'jpeg', data: jpegImage() }]);
    const images = await test.service.stored.imagesForFile(runId);
    const bytes = await bytesOf(runFile(runId, test.service.stored.log(runId), {}, images));
    const imported = await (await open()).service.importRun(once(bytes));
    expect(imported.config.images).toHaveLength(1);
  });

  it('without its images shows their names only, and is refused with images that are not what it says', async () => {
    const test = await open();
    const runId = await endedRun(test);
    const without = await bytesOf(runFile(runId, test.service.stored.log(runId)));
    const images = await test.service.stored.imagesForFile(runId);
    const lines = (await bytesOf(runFile(runId, test.service.stored.log(runId), {}, images)))
      .toString()
      .split('\n');
    const line = lines.at(-2) ?? '';
    const withLine = (text: string) => once(Buffer.from(`${without}${text}\n`));
    const other = await open();
    for (const [changed, problem] of [
      [line.replace('"png"', '"jpeg"'), 'does not match its description'],
      [line.replace(/"data":"(.{9})./, '"data":"$1A'), 'does not match its description'],
      [line.replace(/"hash":"./, '"hash":"'), 'hash'],
      [line.replace(/"hash":"[0-9a-f]{2}/, '"hash":"00'), 'no event refers'],
      ['{"image":{"hash":"x","type":"svg","data":"PHN2Zz4="}}', 'image'],
      [`${line}\n${lines[1]}`, 'after an image'],
    ] as const) {
      await expect(other.service.importRun(withLine(changed)), changed.slice(0, 60)).rejects.toMatchObject({
        code: 'bad_run_file',
        message: expect.stringContaining(problem),
      });
    }
    const imported = await other.service.importRun(once(without));
    expect(imported.config.images).toHaveLength(1);
    expect(await other.service.stored.imagesForFile(runId)).toBeUndefined();
  });
});

it('an exported page has the images that its scope shows', async () => {
  const test = await open();
  const runId = await endedRun(test);
  const { stored } = test.service;
  const { config } = await stored.get(runId);
  const page = async (scope: 'everything' | 'summary') => {
    const log = await exportedLog({ config, scope, read: () => stored.log(runId), redaction: {} });
    let html = '';
    for await (const piece of htmlExport(log, assets, stored.images(runId, log.images))) html += piece;
    return html;
  };
  const hash = config.images?.[0]?.hash ?? '';
  const whole = await page('everything');
  expect(whole).toContain(`"images":{"${hash}":"data:image/png;base64,iVBORw0KGgo`);
  const summary = await page('summary');
  expect(summary).toContain('"images":{}');
  expect(summary).not.toContain(hash);
});
