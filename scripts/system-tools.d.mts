/** Path of an installed Chromium or Chrome, or `undefined`. LOUPE_CHROMIUM names one explicitly. */
export function findChromium(): string | undefined;
export interface SystemTool {
  name: string;
  debianPackage: string;
  required: boolean;
}
/** What the tests use that is not here. */
export function missingSystemTools(): SystemTool[];
