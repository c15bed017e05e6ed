/** Where the label of a point is drawn, in pixels. */
interface LabelPlace {
  readonly x: number;
  readonly y: number;
  readonly label: string;
}

/** Labels closer than this lie on each other, in pixels: a digit or two wide, a line high. */
const NEAR_X = 16;
const NEAR_Y = 11;
/** More labels of one place are counted. */
const MAX_NAMED = 3;

/** Joins the labels of points that lie so close that they would cover each other: `2, 3`. Pure. */
export function shareLabels(points: readonly LabelPlace[]): LabelPlace[] {
  const groups: { x: number; y: number; labels: string[] }[] = [];
  for (const { x, y, label } of points) {
    const near = groups.find((group) => Math.abs(group.x - x) < NEAR_X && Math.abs(group.y - y) < NEAR_Y);
    if (near) {
      near.labels.push(label);
      near.x = Math.max(near.x, x); // right of all of them
    } else {
      groups.push({ x, y, labels: [label] });
    }
  }
  return groups.map(({ x, y, labels }) => {
    const named = labels.slice(0, MAX_NAMED).join(', ');
    return { x, y, label: labels.length > MAX_NAMED ? `${named} +${labels.length - MAX_NAMED}` : named };
  });
}
