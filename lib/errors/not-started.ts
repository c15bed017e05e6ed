import { AppError } from './app-error.ts';

/** Replaces a service that the server has not created yet. @throws {AppError} `not_started` */
export function notStarted(): never {
  throw new AppError({
    code: 'not_started',
    message: 'The server is still starting.',
    hint: 'Try again in a moment.',
  });
}
