import { PhotonImage } from '@silvia-odwyer/photon-node';

// Images that tests attach and return, drawn by the library that reads them.

function drawn(width: number, height: number): PhotonImage {
  const pixels = new Uint8Array(width * height * 4);
  for (let at = 0; at < pixels.length; at += 4) {
    const x = (at / 4) % width;
    const y = Math.floor(at / 4 / width);
    pixels.set([(x * 255) / width, (y * 255) / height, 128, 255], at);
  }
  return new PhotonImage(pixels, width, height);
}

export function pngImage(width = 64, height = 48): Buffer {
  return Buffer.from(drawn(width, height).get_bytes());
}

export function jpegImage(width = 64, height = 48): Buffer {
  return Buffer.from(drawn(width, height).get_bytes_jpeg(90));
}

export function webpImage(width = 64, height = 48): Buffer {
  return Buffer.from(drawn(width, height).get_bytes_webp());
}

/** One pixel. */
export const gifImage = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

/** A JPEG whose EXIF data has the camera's orientation, and a secret. */
export function photo(orientation: number, secret = 'GPS 48.1N 11.5E'): Buffer {
  const jpeg = jpegImage(64, 48);
  const tiff = Buffer.alloc(26);
  tiff.write('MM\0*', 0, 'latin1');
  tiff.writeUInt32BE(8, 4);
  tiff.writeUInt16BE(1, 8);
  tiff.writeUInt16BE(0x0112, 10);
  tiff.writeUInt16BE(3, 12);
  tiff.writeUInt32BE(1, 14);
  tiff.writeUInt16BE(orientation, 18);
  const body = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff, Buffer.from(secret)]);
  const head = Buffer.from([0xff, 0xe1, 0, 0]);
  head.writeUInt16BE(body.length + 2, 2);
  return Buffer.concat([jpeg.subarray(0, 2), head, body, jpeg.subarray(2)]);
}
