import { describe, expect, it } from 'vitest';
import { MAX_IMAGE_NAME_CHARS } from '../events/image.ts';
import { IMAGE_LIMITS } from '../events/limits.ts';
import { gifImage, jpegImage, photo, pngImage, webpImage } from '../testing/sample-images.ts';
import { readImageHeader } from '../util/image-header.ts';
import { readImage } from './read-image.ts';

const { signal } = new AbortController();
const read = (data: Uint8Array, name = 'picture.png') => readImage({ name, data }, signal);

/** A PNG whose header has wrong dimensions. */
function bomb(width: number, height: number): Buffer {
  const data = Buffer.from(pngImage());
  data.writeUInt32BE(width, 16);
  data.writeUInt32BE(height, 20);
  return data;
}

describe('readImage', () => {
  it('keeps PNG as PNG and photos as JPEG, and draws WebP and GIF as PNG [O20]', async () => {
    expect((await read(pngImage())).ref).toMatchObject({ type: 'png', width: 64, height: 48 });
    expect((await read(jpegImage())).ref).toMatchObject({ type: 'jpeg', width: 64, height: 48 });
    expect((await read(webpImage())).ref).toMatchObject({ type: 'png', width: 64, height: 48 });
    expect((await read(gifImage)).ref).toMatchObject({ type: 'png', width: 1, height: 1 });
  });

  it('uses the bytes, not the name', async () => {
    const { ref, data } = await read(jpegImage(), 'drawing.svg');
    expect(ref).toMatchObject({ type: 'jpeg', name: 'drawing.svg' });
    expect(readImageHeader(data)).toEqual({ type: 'jpeg', width: 64, height: 48 });
  });

  it('scales larger images down and keeps their shape', async () => {
    const { ref } = await read(pngImage(2560, 1000));
    expect(ref).toMatchObject({ width: IMAGE_LIMITS.max_side, height: 500 });
  });

  it('gives the same image the same hash', async () => {
    const [first, second] = [await read(pngImage()), await read(pngImage(), 'other.png')];
    expect(first.ref.hash).toBe(second.ref.hash);
    expect(first.ref.bytes).toBe(first.data.length);
  });

  it('turns photos upright and keeps no metadata', async () => {
    for (const orientation of [1, 2, 3, 4]) {
      expect((await read(photo(orientation))).ref).toMatchObject({ width: 64, height: 48 });
    }
    for (const orientation of [5, 6, 7, 8]) {
      const { ref, data } = await read(photo(orientation));
      expect(ref, `orientation ${orientation}`).toMatchObject({ width: 48, height: 64 });
      expect(Buffer.from(data).includes('GPS')).toBe(false);
      expect(Buffer.from(data).includes('Exif')).toBe(false);
    }
  });

  it('keeps nothing that follows the image in its file', async () => {
    const polyglot = Buffer.concat([pngImage(), Buffer.from('<script>alert(1)</script>PK\u0003\u0004')]);
    const { data } = await read(polyglot);
    expect(Buffer.from(data).includes('script')).toBe(false);
    expect(Buffer.from(data).includes('PK\u0003\u0004')).toBe(false);
  });

  it.each([
    ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')],
    ['an HTML page', Buffer.from('<!doctype html><script>alert(1)</script>')],
    ['a text', Buffer.from('just words')],
    ['nothing', Buffer.alloc(0)],
    ['a TIFF', Buffer.from('II*\0')],
    ['a PDF', Buffer.from('%PDF-1.7')],
  ])('refuses %s', async (_, data) => {
    await expect(read(data)).rejects.toMatchObject({
      code: 'image_refused',
      message: expect.stringContaining('not an image'),
    });
  });

  it('refuses an image that would fill the memory, by its header', async () => {
    await expect(read(bomb(60_000, 60_000))).rejects.toMatchObject({
      code: 'image_refused',
      message: expect.stringContaining('60,000 × 60,000 pixels'),
    });
  });

  it.each([
    ['truncated', pngImage().subarray(0, 60)],
    ['of another size than it says', bomb(4000, 4000)],
    ['only a header', pngImage().subarray(0, 26)],
    ['a JPEG without pixels', jpegImage().subarray(0, 200)],
  ])('refuses one that is %s', async (_, data) => {
    await expect(read(data)).rejects.toMatchObject({ code: 'image_refused' });
  });

  it('refuses files over the limit without decoding them', async () => {
    const data = Buffer.concat([pngImage(), Buffer.alloc(IMAGE_LIMITS.max_file_bytes)]);
    await expect(read(data)).rejects.toMatchObject({ message: '"picture.png" is larger than 8 MB.' });
  });

  it('cleans names of control characters and cuts long ones', async () => {
    const { ref } = await read(gifImage, 'a\u202e\u0000\nb.png');
    expect(ref.name).toBe('a b.png');
    expect((await read(gifImage, 'x'.repeat(5000))).ref.name).toHaveLength(MAX_IMAGE_NAME_CHARS);
    expect((await read(gifImage, '\n')).ref.name).toBe('image');
  });
});
