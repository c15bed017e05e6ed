import { type ImageHeader, readImageHeader } from '../../util/image-header.ts';
import { MAX_IMAGE_CHARS, MAX_IMAGE_PIXELS } from './limits.ts';

export interface EmbeddedImage extends ImageHeader {
  readonly bytes: number;
}

const DATA_URL = /^data:image\/(png|jpeg|gif|webp);base64,([A-Za-z0-9+/]+={0,2})$/;
/** The size is in the first bytes, in JPEG after what a camera notes. */
const HEADER_CHARS = 262_144;

/**
 * The type and size of an image in a `data:` URL, according to its own header.
 *
 * @returns `undefined` for data that is not a picture of these formats, or that would take more memory than a page should use
 */
export function embeddedImage(url: string): EmbeddedImage | undefined {
  if (url.length > MAX_IMAGE_CHARS) return undefined;
  const [, named, data = ''] = DATA_URL.exec(url) ?? [];
  if (named === undefined || data.length % 4 !== 0) return undefined;
  const head = Uint8Array.from(atob(data.slice(0, HEADER_CHARS)), (sign) => sign.charCodeAt(0));
  const header = readImageHeader(head);
  if (header?.type !== named || header.width * header.height > MAX_IMAGE_PIXELS) return undefined;
  return { ...header, bytes: Math.floor((data.length * 3) / 4) };
}
