import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { machineFacts } from './machine-facts.ts';

it('describes processor and memory, and the GPU only where the system names it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'loupe-gpus-'));
  expect(machineFacts(join(folder, 'none'))).toMatchObject({
    cores: expect.any(Number),
    memory_bytes: expect.any(Number),
  });
  mkdirSync(join(folder, '0000:01:00.0'));
  writeFileSync(join(folder, '0000:01:00.0', 'information'), 'Model: \t\t NVIDIA RTX 4090\nIRQ: 1\n');
  expect(machineFacts(folder).gpu).toBe('NVIDIA RTX 4090');
  rmSync(folder, { recursive: true });
});
