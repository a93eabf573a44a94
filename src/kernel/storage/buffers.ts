/** Buffers that are used in turn, within a budget. */
export interface Buffers {
  /**
   * Takes what somebody needs who reads so many bytes: two of the same size, one to read into while the other is being
   * sent; only one where that is enough, or where nothing is left for a second.
   */
  take(bytes: number): readonly [Buffer, Buffer?];
  /** Nobody uses it any more. */
  give(buffer: Buffer): void;
}

/** With fewer chunks there is less to wait for between them: one download then reaches what the machine can send. */
const LARGEST = 524_288;
const SMALLEST = 65_536;
/** Two new buffers take at most a quarter of what is left; where that is too little, there is one of the smallest. */
const BUDGET = 4_194_304;
const SHARE = 8;

/** Makes an empty store of buffers. Given back ones are kept: the memory of large ones is only freed much later. */
export function createBuffers(): Buffers {
  const idle = new Map<number, Buffer[]>();
  let taken = 0;
  let kept = 0;
  const takeOne = (size: number): Buffer => {
    taken += size;
    const buffer = idle.get(size)?.pop();
    if (!buffer) return Buffer.allocUnsafeSlow(size);
    kept -= size;
    return buffer;
  };
  return {
    take(bytes) {
      const share = (BUDGET - taken) / SHARE;
      let size = LARGEST;
      while (size > SMALLEST && (size > share || size >= bytes * 2)) size /= 2;
      // Where many are sending, one reads while another one waits: none of them has to read ahead.
      return bytes <= size || size > share ? [takeOne(size)] : [takeOne(size), takeOne(size)];
    },
    give(buffer) {
      taken -= buffer.length;
      if (taken + kept + buffer.length > BUDGET) return;
      kept += buffer.length;
      const same = idle.get(buffer.length);
      if (same) same.push(buffer);
      else idle.set(buffer.length, [buffer]);
    },
  };
}
