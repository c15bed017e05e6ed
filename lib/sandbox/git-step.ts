/** Whether a step enters a `.git` folder, including on case-insensitive file systems. */
export function isGitStep(step: string): boolean {
  return step.toLowerCase() === '.git';
}
