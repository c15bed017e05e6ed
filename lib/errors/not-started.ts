import { AppError } from './app-error.ts';

/** For what a route asks for before the server has made it. @throws {AppError} `not_started` */
export function notStarted(): never {
  throw new AppError({
    code: 'not_started',
    message: 'The server is still starting.',
    hint: 'Try again in a moment.',
  });
}
