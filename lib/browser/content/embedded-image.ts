import { MAX_IMAGE_CHARS, MAX_IMAGE_PIXELS } from './limits.ts';

export interface EmbeddedImage {
  readonly type: 'png' | 'jpeg' | 'gif' | 'webp';
  readonly width: number;
  readonly height: number;
  readonly bytes: number;
}

const DATA_URL = /^data:image\/(png|jpeg|gif|webp);base64,([A-Za-z0-9+/]+={0,2})$/;
/** The size is in the first bytes, in JPEG after what a camera notes. */
const HEADER_CHARS = 262_144;

/**
 * What a `data:` URL of a picture holds, by its own header.
 *
 * @returns `undefined` for data that is not a picture of these formats, or that would take more memory than a page should use
 */
export function embeddedImage(url: string): EmbeddedImage | undefined {
  if (url.length > MAX_IMAGE_CHARS) return undefined;
  const [, named, data = ''] = DATA_URL.exec(url) ?? [];
  const type = (['png', 'jpeg', 'gif', 'webp'] as const).find((each) => each === named);
  if (!type || data.length % 4 !== 0) return undefined;
  const head = Uint8Array.from(atob(data.slice(0, HEADER_CHARS)), (sign) => sign.charCodeAt(0));
  const [width, height] = SIZES[type](new DataView(head.buffer)) ?? [0, 0];
  if (width === 0 || height === 0 || width * height > MAX_IMAGE_PIXELS) return undefined;
  return { type, width, height, bytes: Math.floor((data.length * 3) / 4) };
}

type Size = readonly [width: number, height: number] | undefined;

const SIZES: Readonly<Record<EmbeddedImage['type'], (view: DataView) => Size>> = {
  png: (view) => (has(view, 24, 0, 0x89504e47) ? [view.getUint32(16), view.getUint32(20)] : undefined),
  gif: (view) =>
    has(view, 10, 0, 0x47494638) ? [view.getUint16(6, true), view.getUint16(8, true)] : undefined,
  webp: (view) => (has(view, 30, 0, 0x52494646) && has(view, 30, 8, 0x57454250) ? webpSize(view) : undefined),
  jpeg: jpegSize,
};

/** Whether there are so many bytes, and these four among them. */
function has(view: DataView, bytes: number, at: number, word: number): boolean {
  return view.byteLength >= bytes && view.getUint32(at) === word;
}

function webpSize(view: DataView): Size {
  const uint24 = (at: number) => view.getUint16(at, true) + (view.getUint8(at + 2) << 16);
  switch (view.getUint32(12)) {
    case 0x56503858: // VP8X
      return [uint24(24) + 1, uint24(27) + 1];
    case 0x56503820: // VP8
      return [view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff];
    case 0x5650384c: {
      // VP8L
      const bits = view.getUint32(21, true);
      return [(bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1];
    }
    default:
      return undefined;
  }
}

/** From the first frame header (SOF), past the segments before it. */
function jpegSize(view: DataView): Size {
  if (view.byteLength < 4 || view.getUint16(0) !== 0xffd8) return undefined;
  for (let at = 2; at + 9 < view.byteLength; ) {
    if (view.getUint8(at) !== 0xff) return undefined;
    const marker = view.getUint8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return [view.getUint16(at + 7), view.getUint16(at + 5)];
    at += 2 + Math.max(2, view.getUint16(at + 2));
  }
  return undefined;
}
