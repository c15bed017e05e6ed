/** One line of visible characters. A zero-width joiner is allowed only between the parts of an emoji (UTS 51). */
export const VISIBLE_LINE =
  /^(?:[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|(?<=\p{Extended_Pictographic}|\p{Emoji_Modifier}|\uFE0F)\u200D(?=\p{Extended_Pictographic}))*$/u;
