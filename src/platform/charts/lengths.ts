/** Lengths of time that charts are offered for, as links. */
export interface Lengths {
  /** Days that are shown now. */
  readonly days: number;
  readonly ranges: readonly { readonly label: string; readonly href: string; readonly isCurrent: boolean }[];
}

/**
 * Reads how many days somebody wants to see; the usual ones when that is none of those offered.
 *
 * @param path of the page of the charts; `query` keeps what else it says
 */
export function lengthsOf(
  path: string,
  query: Readonly<Record<string, string>>,
  { offered, usual }: { readonly offered: readonly number[]; readonly usual: number },
): Lengths {
  const days = offered.find((one) => String(one) === query.days) ?? usual;
  return {
    days,
    ranges: offered.map((one) => ({
      label: one === 1 ? '24 hours' : `${one} days`,
      href: `${path}?${new URLSearchParams({ ...query, days: String(one) })}`,
      isCurrent: one === days,
    })),
  };
}
