export type ImageType = 'png' | 'jpeg' | 'gif' | 'webp';

/** The facts in the first bytes of an image. */
export interface ImageHeader {
  readonly type: ImageType;
  readonly width: number;
  readonly height: number;
}

/**
 * The type and size of an image by its own first bytes, never by a name or a declared type. Pure.
 *
 * @param head the beginning of the file: in a JPEG, the size follows what a camera notes
 * @returns `undefined` for data that is not an image of these formats
 */
export function readImageHeader(head: Uint8Array): ImageHeader | undefined {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  for (const type of ['png', 'jpeg', 'gif', 'webp'] as const) {
    const size = SIZES[type](view);
    if (size) return size[0] > 0 && size[1] > 0 ? { type, width: size[0], height: size[1] } : undefined;
  }
  return undefined;
}

type Size = readonly [width: number, height: number] | undefined;

const SIZES: Readonly<Record<ImageType, (view: DataView) => Size>> = {
  png: (view) => (has(view, 24, 0, 0x89504e47) ? [view.getUint32(16), view.getUint32(20)] : undefined),
  gif: (view) =>
    has(view, 10, 0, 0x47494638) ? [view.getUint16(6, true), view.getUint16(8, true)] : undefined,
  webp: (view) => (has(view, 30, 0, 0x52494646) && has(view, 30, 8, 0x57454250) ? webpSize(view) : undefined),
  jpeg: jpegSize,
};

/** Whether there are this many bytes, with these four among them. */
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
