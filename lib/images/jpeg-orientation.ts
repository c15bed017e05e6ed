/**
 * The camera's orientation from the EXIF data of a JPEG, which is needed to turn the image upright. Reads nothing else.
 * Pure.
 */
export type Orientation = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;

/** @returns 1 (upright) if the orientation is missing or invalid */
export function jpegOrientation(head: Uint8Array): Orientation {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  if (view.byteLength < 4 || view.getUint16(0) !== 0xffd8) return 1;
  for (let at = 2; at + 4 <= view.byteLength; ) {
    if (view.getUint8(at) !== 0xff) return 1;
    const marker = view.getUint8(at + 1);
    const length = Math.max(2, view.getUint16(at + 2));
    const isExif = marker === 0xe1 && at + 10 <= view.byteLength && view.getUint32(at + 4) === 0x45786966;
    if (isExif) return orientationIn(view, at + 10, Math.min(view.byteLength, at + 2 + length));
    if (marker === 0xda || (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xcc)) return 1;
    at += 2 + length;
  }
  return 1;
}

/** @param start of the TIFF data in the EXIF segment */
function orientationIn(view: DataView, start: number, end: number): Orientation {
  if (start + 8 > end) return 1;
  const isLittle = view.getUint16(start) === 0x4949;
  const directory = start + view.getUint32(start + 4, isLittle);
  if (directory + 2 > end) return 1;
  const count = Math.min(view.getUint16(directory, isLittle), 100);
  for (let index = 0; index < count; index += 1) {
    const entry = directory + 2 + 12 * index;
    if (entry + 12 > end) return 1;
    if (view.getUint16(entry, isLittle) !== 0x0112) continue;
    const value = view.getUint16(entry + 8, isLittle);
    return ([1, 2, 3, 4, 5, 6, 7, 8] as const).find((known) => known === value) ?? 1;
  }
  return 1;
}
