// Asked of the module each time: whoever sets its servers replaces its functions.
import dns from 'node:dns/promises';

const NONE = ['ENODATA', 'ENOTFOUND'];

/** The TXT records of a domain, each as one text; null when nobody answers. */
export async function textsOf(domain: string): Promise<string[] | null> {
  try {
    return (await dns.resolveTxt(domain)).map((parts) => parts.join(''));
  } catch (error) {
    return NONE.includes((error as NodeJS.ErrnoException).code ?? '') ? [] : null;
  }
}
