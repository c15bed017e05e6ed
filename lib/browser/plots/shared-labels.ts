/** Where the label of a point is drawn, in pixels. */
interface LabelPlace {
  readonly x: number;
  readonly y: number;
  readonly label: string;
}

/** A label in one place, of one point or several. */
interface LabelGroup {
  /** The places of the first point and of the last, after which the label is drawn. */
  readonly left: number;
  readonly x: number;
  readonly y: number;
  readonly labels: readonly string[];
}

/** Width of a character, the gap between two labels beside each other, and the height of a line, in pixels. */
const CHARACTER_PX = 6;
const GAP_PX = 10;
const LINE_PX = 11;
/** More labels of one place are counted. */
const MAX_NAMED = 3;

/**
 * Joins the labels of points that lie so close that they would cover each other or another point: `2, 3`, with fewer
 * names where a further label is near: `2 +1`. Pure.
 */
export function shareLabels(points: readonly LabelPlace[]): LabelPlace[] {
  const groups: LabelGroup[] = [];
  for (const { x, y, label } of points.toSorted((a, b) => a.x - b.x)) {
    let group: LabelGroup = { left: x, x, y, labels: [label] };
    let covered = groups.findIndex((each) => cover(each, group));
    while (covered >= 0) {
      for (const each of groups.splice(covered, 1)) group = joinedGroup(each, group);
      covered = groups.findIndex((each) => cover(each, group));
    }
    groups.push(group);
  }
  return groups.map((group) => ({ x: group.x, y: group.y, label: labelFor(group, groups) }));
}

/** The width of the longest label that some of these can be joined to, in pixels. Pure. */
export function widestLabel(labels: readonly string[]): number {
  return widthOf(
    named(
      labels.toSorted((a, b) => b.length - a.length),
      MAX_NAMED,
    ),
  );
}

function joinedGroup(a: LabelGroup, b: LabelGroup): LabelGroup {
  return {
    ...{ left: Math.min(a.left, b.left), x: Math.max(a.x, b.x) },
    ...{ y: a.y, labels: [...a.labels, ...b.labels] },
  };
}

function cover(a: LabelGroup, b: LabelGroup): boolean {
  const end = ({ x, labels }: LabelGroup) => x + widthOf(named(labels, 1)) + GAP_PX;
  return onOneLine(a, b) && a.left < end(b) && b.left < end(a);
}

function onOneLine(a: LabelGroup, b: LabelGroup): boolean {
  return Math.abs(a.y - b.y) < LINE_PX;
}

/** With as many names as fit before the next group. */
function labelFor(group: LabelGroup, groups: readonly LabelGroup[]): string {
  const next = groups.filter((each) => each.left > group.x && onOneLine(each, group));
  const room = Math.min(...next.map(({ left }) => left)) - group.x - GAP_PX;
  for (let names = MAX_NAMED; names > 1; names -= 1) {
    const label = named(group.labels, names);
    if (widthOf(label) <= room) return label;
  }
  return named(group.labels, 1);
}

function widthOf(label: string): number {
  return label.length * CHARACTER_PX;
}

/** The first labels, and how many there are besides. */
function named(labels: readonly string[], names: number): string {
  const first = labels.slice(0, names).join(', ');
  return labels.length > names ? `${first} +${labels.length - names}` : first;
}
