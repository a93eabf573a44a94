// Collects every secret that a run has seen, in every spelling in which one might be written down.

/** Shorter texts would be found by chance. */
const MIN_LENGTH = 8;

/** The secrets of one run. */
export class Secrets {
  readonly #kinds = new Map<string, string>();

  /**
   * Remembers one secret.
   *
   * @param kind for reports, such as `license key`; the secret itself is never printed
   * @returns the secret
   */
  add(kind: string, secret: string): string {
    for (const spelling of spellings(secret)) {
      if (spelling.length >= MIN_LENGTH) this.#kinds.set(spelling, kind);
    }
    return secret;
  }

  /** How many different secrets' spellings there are by kind. */
  get kinds(): number {
    return new Set(this.#kinds.values()).size;
  }

  /** Texts to look for. */
  get texts(): string[] {
    return [...this.#kinds.keys()];
  }

  kindOf(text: string): string {
    return this.#kinds.get(text) ?? 'part of a secret';
  }
}

function spellings(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [
    secret,
    secret.toLowerCase(),
    secret.toUpperCase(),
    secret.replaceAll('-', ''),
    encodeURIComponent(secret),
    bytes.toString('hex'),
    // Without the end, which depends on what follows.
    bytes.subarray(0, bytes.length - (bytes.length % 3)).toString('base64'),
  ];
}
