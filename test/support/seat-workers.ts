// Workers that fight for floating seats, wherever they run: over HTTP or in a process of their own.

/** Calls the service for one machine; resolves to `done` or to the error's code. */
export type SeatCall = (action: 'checkout' | 'checkin', machineId: string) => Promise<string>;

/** What is asked of a side: one checkout of each machine at once, or so many rounds by each machine. */
export type SeatWork = { licenseKey: string; machineIds: string[]; rounds: number };

/** How often each thing came of each step, such as `checkout done: 12`. */
export type Tally = Record<string, number>;

/**
 * Lets machines take a seat, extend its lease and give it back, all of them at the same time.
 * @param work `rounds` 0: one checkout each and nothing else
 */
export async function useSeats(call: SeatCall, { machineIds, rounds }: SeatWork): Promise<Tally> {
  const tally: Tally = {};
  const step = async (name: string, action: 'checkout' | 'checkin', machineId: string): Promise<boolean> => {
    const outcome = await call(action, machineId);
    tally[`${name} ${outcome}`] = (tally[`${name} ${outcome}`] ?? 0) + 1;
    return outcome === 'done';
  };
  await Promise.all(
    machineIds.map(async (machineId) => {
      if (rounds === 0) await step('checkout', 'checkout', machineId);
      for (let round = 0; round < rounds; round++) {
        if (!(await step('checkout', 'checkout', machineId))) continue;
        await step('extension', 'checkout', machineId);
        await step('checkin', 'checkin', machineId);
      }
    }),
  );
  return tally;
}
