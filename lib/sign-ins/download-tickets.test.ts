import { expect, it } from 'vitest';
import { DownloadTickets } from './download-tickets.ts';

const path = '/api/runs/a/export?format=run&redact=0';

it('accepts a ticket for its sign-in and its path', () => {
  const tickets = new DownloadTickets(() => 5);
  const signed = tickets.issue('one', path);
  expect(signed).toMatch(/^\/api\/runs\/a\/export\?format=run&redact=0&ticket=30005\.[\w-]{43}$/);
  expect(tickets.accepts('one', signed)).toBe(true);
  expect(tickets.accepts('two', signed)).toBe(false);
  for (const other of [
    path,
    signed.replace('/a/', '/b/'),
    signed.replace('redact=0', 'redact=1'),
    `${signed}&format=bundle`,
    signed.replace('30005', '90005'),
    signed.replace(/ticket=.*/, 'ticket='),
    '*',
    `${signed}&${signed.split('&').at(-1)}`,
  ]) {
    expect(tickets.accepts('one', other), other).toBe(false);
  }
});

it('accepts a ticket for 30 seconds, and none of another process', () => {
  let now = 0;
  const tickets = new DownloadTickets(() => now);
  const signed = tickets.issue('one', path);
  now = 30_000;
  expect(tickets.accepts('one', signed)).toBe(true);
  expect(new DownloadTickets(() => now).accepts('one', signed)).toBe(false);
  now = 30_001;
  expect(tickets.accepts('one', signed)).toBe(false);
});

it('replaces a ticket that the path already has', () => {
  const tickets = new DownloadTickets(() => 0);
  expect(tickets.issue('one', tickets.issue('one', path))).toBe(tickets.issue('one', path));
});
