import { readdirSync, readFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';

/** Where NVIDIA's driver describes the GPUs. */
const NVIDIA_FOLDER = '/proc/driver/nvidia/gpus';

/** Processor, cores, memory, and the GPU if the system reports it: NVIDIA's on Linux, and Apple's. */
export function machineFacts(nvidia = NVIDIA_FOLDER): {
  cpu?: string;
  cores: number;
  memory_bytes: number;
  gpu?: string;
} {
  const processors = cpus();
  const cpu = processors[0]?.model.trim().slice(0, 100);
  const gpu = gpuNames(nvidia) ?? (cpu?.startsWith('Apple') ? cpu : undefined);
  return {
    ...(cpu ? { cpu } : {}),
    cores: Math.max(1, processors.length),
    memory_bytes: totalmem(),
    ...(gpu ? { gpu } : {}),
  };
}

function gpuNames(folder: string): string | undefined {
  try {
    const names = readdirSync(folder).flatMap((gpu) => {
      const text = readFileSync(join(folder, gpu, 'information'), 'utf8');
      return /^Model:\s*(.+)$/m.exec(text)?.[1]?.trim() ?? [];
    });
    return names.length === 0 ? undefined : names.join(', ').slice(0, 200);
  } catch {
    return undefined; // no such driver
  }
}
