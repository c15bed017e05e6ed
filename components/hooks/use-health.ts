'use client';

import type { HealthReply } from '#lib/api/replies.ts';
import { type ApiState, useApi } from './use-api.ts';

const REFRESH_MS = 10_000;

/** Whether runs can work here, kept fresh by one poll however many components show it. */
export function useHealth(): ApiState<HealthReply> {
  return useApi<HealthReply>('/api/health', REFRESH_MS);
}
