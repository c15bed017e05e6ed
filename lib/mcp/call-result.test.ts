import { describe, expect, it } from 'vitest';
import { MAX_RESULT_BYTES } from '../tools/tool-results.ts';
import { callResult, resultImages } from './call-result.ts';
import { SecretMask } from './secrets.ts';

const mask = new SecretMask([{ name: 'KEY', value: 'planted-secret' }]);
const of = (content: unknown[], more: object = {}) => callResult('s__t', { content, ...more }, mask);
const text = (words: string) => ({ type: 'text', text: words });

describe('callResult', () => {
  it('joins texts, and has a line for every other part', () => {
    const result = of([
      text('One'),
      { type: 'image', mimeType: 'image/png', data: 'AAAA' },
      { type: 'audio', mimeType: 'audio/wav', data: 'AAA=' },
      { type: 'resource_link', uri: 'file:///a', name: 'A', size: 2500, description: 'Notes' },
      { type: 'resource', resource: { uri: 'x:1', text: 'inside' } },
      { type: 'resource', resource: { uri: 'x:2', mimeType: 'a/b', blob: 'AA==' } },
      { type: 'dance' },
      null,
    ]);
    expect(result).toEqual({
      success: true,
      tool: 's__t',
      output: {
        text: [
          'One',
          '[Image: image/png, 3 bytes]',
          '[Audio: audio/wav, 2 bytes. It cannot be played to the model.]',
          '[Resource file:///a, A, 3 kB, Notes]',
          '[Resource x:1]\ninside',
          '[Resource x:2, a/b, 1 bytes. It is not text.]',
          '[A part of the unknown type "dance"]',
        ].join('\n\n'),
      },
    });
  });

  it('keeps data, and leaves out the text that repeats it', () => {
    expect(of([text('{"b":2,"a":1}')], { structuredContent: { a: 1, b: 2 } }).output).toEqual({
      data: { a: 1, b: 2 },
    });
    expect(of([text('Found')], { structuredContent: { a: ['planted-secret'] } }).output).toEqual({
      text: 'Found',
      data: { a: ['[secret KEY]'] },
    });
    expect(of([], { structuredContent: 7 }).output).toEqual({ text: '' });
  });

  it('shows data that is no readable object in part, as text, where there is no other', () => {
    const rows = Array.from({ length: 5000 }, (_, id) => ({
      id,
      name: 'planted-secret',
      more: 'x'.repeat(40),
    }));
    const large = of([], { structuredContent: { rows } });
    expect(large.truncated).toBe(true);
    expect(large.output).toMatchObject({
      text: expect.stringMatching(/^\{"rows":\[\{"id":0,"name":"\[secret KEY\]"/),
    });
    expect(of([], { structuredContent: [{ id: 1 }] }).output).toEqual({ text: '[{"id":1}]' });
    expect(of([text('5000 rows')], { structuredContent: { rows } })).toMatchObject({
      output: { text: expect.stringMatching(/^5000 rows\n\n\{"rows"/) },
      truncated: true,
    });
    expect(of([text(JSON.stringify({ rows }))], { structuredContent: { rows } }).output).toMatchObject({
      text: expect.not.stringMatching(/"id":0,.*"id":0,/s),
    });
  });

  it('masks secrets before names and addresses are cut', () => {
    const cutAt = (length: number) => `${'x'.repeat(length - 8)}planted-secret`;
    const result = of([
      {
        type: 'resource_link',
        uri: cutAt(2000),
        title: cutAt(200),
        mimeType: cutAt(100),
        description: cutAt(500),
      },
      { type: 'resource', resource: { uri: cutAt(2000), mimeType: cutAt(100), blob: 'AA==' } },
      { type: 'image', mimeType: cutAt(100), data: 'AA==' },
      { type: cutAt(50) },
    ]);
    expect(JSON.stringify(result)).not.toContain('plant');
    expect(JSON.stringify(result)).toContain('xxx[secret');
  });

  it('is a failure if the server says so, in its words', () => {
    expect(of([text('No planted-secret')], { isError: true })).toMatchObject({
      success: false,
      output: { error: 'No [secret KEY]' },
    });
    expect(of([], { isError: true }).output).toEqual({ error: 'The tool failed without saying why.' });
  });

  it('is cut at the size of results, and counts parts beyond 200', () => {
    const large = of([text('a'.repeat(2 * MAX_RESULT_BYTES))]);
    expect(large.truncated).toBe(true);
    expect(JSON.stringify(large).length).toBeLessThan(MAX_RESULT_BYTES);
    const many = of(Array.from({ length: 203 }, () => text('a')));
    expect(many).toMatchObject({
      truncated: true,
      output: { text: expect.stringContaining('[3 more parts left out]') },
    });
    const data = of([], { structuredContent: { a: 'b'.repeat(MAX_RESULT_BYTES) } });
    expect(data.output).not.toHaveProperty('data');
  });
});

it('finds images whatever their declared type, and counts those beyond the limit', () => {
  const content = Array.from({ length: 10 }, () => ({ type: 'image', mimeType: 'text/html', data: 'AAAA' }));
  const images = resultImages({ content: [text('a'), 7, { type: 'image' }, ...content] });
  expect(images).toHaveLength(10);
  expect(images[0]).toEqual({ name: 'image 1', data: Buffer.from([0, 0, 0]) });
  expect(images[9]?.data).toHaveLength(0);
  expect(resultImages({})).toEqual([]);
});
