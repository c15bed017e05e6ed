import { expect, it } from 'vitest';
import { postgresError } from './postgres/postgres-errors.ts';
import { StorageFullError, tooLittleRoom } from './store-errors.ts';

const MEGABYTE = 1024 * 1024;

it('says which disk is full, what is free there, and how much must be freed', () => {
  const error = new StorageFullError('/data', { freeBytes: 1.9 * MEGABYTE, missingBytes: 20.1 * MEGABYTE });
  expect(error.message).toBe('The disk that holds /data is full: 1 MB free.');
  expect(error.hint).toBe('Loupe is read-only until you delete runs or free 21 MB on that disk.');
});

it('does not call a disk full that only has less room than a new run needs', () => {
  const error = tooLittleRoom('/data', { freeBytes: 100 * MEGABYTE, minFreeBytes: 256 * MEGABYTE });
  expect(error).toMatchObject({
    code: 'storage_full',
    message: 'The disk that holds /data has 100 MB free; new runs need 256 MB.',
    hint: expect.stringContaining('LOUPE_MIN_FREE_MB'),
  });
});

it.each([
  ['53100', 'could not extend file "base/1/2"'],
  ['58030', 'could not write to file "pg_wal/1": No space left on device'],
])('names the disk of the database server when PostgreSQL says %s', (code, message) => {
  expect(postgresError(Object.assign(new Error(message), { code }), 'db.example/loupe')).toMatchObject({
    code: 'storage_full',
    message: 'The disk that holds the PostgreSQL database db.example/loupe is full.',
    hint: expect.stringContaining('the disk of the database server'),
  });
});

it.each([
  ['ENOTFOUND', 'getaddrinfo ENOTFOUND db.example'],
  ['EAI_AGAIN', 'getaddrinfo EAI_AGAIN db.example'],
  ['ENETDOWN', 'connect ENETDOWN 192.0.2.1:5432'],
  ['EHOSTDOWN', 'connect EHOSTDOWN 192.0.2.1:5432'],
])('waits for a database whose host is gone for a while: %s', (code, message) => {
  expect(postgresError(Object.assign(new Error(message), { code }), 'db.example/loupe')).toMatchObject({
    code: 'store_busy',
    message: 'The PostgreSQL database db.example/loupe does not answer.',
  });
});

it.each([
  ['53300', 'sorry, too many clients already'],
  ['57P03', 'the database system is starting up'],
  ['57014', 'canceling statement due to statement timeout'],
])('waits for a database that refuses work for now, and says why: %s', (code, message) => {
  expect(postgresError(Object.assign(new Error(message), { code }), 'db.example/loupe')).toMatchObject({
    code: 'store_busy',
    message: `The PostgreSQL database db.example/loupe cannot be used at the moment: ${message}.`,
  });
});
