import { z } from 'zod';
import type { NamedImage } from '../events/image.ts';
import { IMAGE_LIMITS } from '../events/limits.ts';

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const maxChars = 4 * Math.ceil(IMAGE_LIMITS.max_file_bytes / 3);
const megabytes = (bytes: number) => `${bytes / 1024 / 1024} MB`;

/** An image in a request: PNG, JPEG, WebP or GIF. */
export const attachedImage = z.strictObject({
  name: z.string().max(1000).default('image'),
  /** Its bytes in base64. */
  data: z
    .string()
    .min(1, 'The image is empty.')
    .max(maxChars, `An image can be at most ${megabytes(IMAGE_LIMITS.max_file_bytes)}.`)
    .refine((text) => BASE64.test(text), 'This is not valid base64.'),
});

/** The images of a task or a message. */
export const attachedImages = z
  .array(attachedImage)
  .max(IMAGE_LIMITS.max_attached, `At most ${IMAGE_LIMITS.max_attached} images can be attached.`)
  .refine(
    (images) =>
      images.reduce((sum, { data }) => sum + (data.length * 3) / 4, 0) <= IMAGE_LIMITS.max_attached_bytes,
    `The images are larger than ${megabytes(IMAGE_LIMITS.max_attached_bytes)} in total.`,
  );
export type AttachedImage = z.input<typeof attachedImage>;

/** The bytes of an image in a request. */
export function decodeImage({ name, data }: z.output<typeof attachedImage>): NamedImage {
  return { name, data: Uint8Array.from(atob(data), (sign) => sign.charCodeAt(0)) };
}
