import { parentPort } from 'node:worker_threads';
import { PhotonImage, resize, SamplingFilter } from '@silvia-odwyer/photon-node';
import { IMAGE_LIMITS } from '../events/limits.ts';
import { READY } from '../util/ask-thread.ts';
import type { DrawnImage, ToDraw } from './draw-in-thread.ts';
import { upright } from './upright.ts';

// The worker thread of `drawInThread`. It decodes untrusted images in WebAssembly, which has its own memory.

const JPEG_QUALITY = 85;
/** For a JPEG that is still too large. */
const LOW_JPEG_QUALITY = 60;

parentPort?.on('message', (job: ToDraw) => {
  parentPort?.postMessage(draw(job));
});
parentPort?.postMessage(READY);

/** Redraws the image, upright and small enough: only its pixels remain. */
function draw({ data, type, orientation }: ToDraw): DrawnImage {
  const image = turned(scaled(PhotonImage.new_from_byteslice(data)), orientation);
  const size = { width: image.get_width(), height: image.get_height() };
  if (type !== 'jpeg') {
    const png = image.get_bytes();
    if (png.length <= IMAGE_LIMITS.max_kept_bytes) return { type: 'png', data: png, ...size };
  }
  const jpeg = image.get_bytes_jpeg(JPEG_QUALITY);
  const small = jpeg.length <= IMAGE_LIMITS.max_kept_bytes ? jpeg : image.get_bytes_jpeg(LOW_JPEG_QUALITY);
  return { type: 'jpeg', data: small, ...size };
}

function scaled(image: PhotonImage): PhotonImage {
  const width = image.get_width();
  const height = image.get_height();
  const factor = IMAGE_LIMITS.max_side / Math.max(width, height);
  if (factor >= 1) return image;
  const side = (pixels: number) => Math.max(1, Math.round(pixels * factor));
  return resize(image, side(width), side(height), SamplingFilter.Triangle);
}

function turned(image: PhotonImage, orientation: ToDraw['orientation']): PhotonImage {
  if (orientation === 1) return image;
  const pixels = { data: image.get_raw_pixels(), width: image.get_width(), height: image.get_height() };
  const { data, width, height } = upright(pixels, orientation);
  return new PhotonImage(data, width, height);
}
