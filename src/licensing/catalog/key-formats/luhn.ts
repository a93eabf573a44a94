/**
 * Luhn mod N check character over an alphabet (D133). It finds every single wrong character and nearly every
 * swap of neighbours. N must be even, otherwise the doubling maps two characters to one and errors slip through.
 *
 * @param body characters of the alphabet, without separators and without the check character
 * @param alphabet N different characters, N even
 * @throws RangeError when the body holds a character outside the alphabet or N is odd
 */
export function checkCharacter(body: string, alphabet: string): string {
  const sum = luhnSum(body, alphabet, 2);
  return alphabet[(alphabet.length - (sum % alphabet.length)) % alphabet.length] as string;
}

/**
 * Whether the last character of a text is its Luhn mod N check character.
 *
 * @param text body and check character, without separators; a character outside the alphabet gives false
 */
export function luhnHolds(text: string, alphabet: string): boolean {
  if (text.length < 2) return false;
  for (const character of text) if (!alphabet.includes(character)) return false;
  return luhnSum(text, alphabet, 1) % alphabet.length === 0;
}

/** `factor` is the weight of the last character; weights alternate between 1 and 2 to the left. */
function luhnSum(text: string, alphabet: string, factor: 1 | 2): number {
  const n = alphabet.length;
  if (n % 2 !== 0) throw new RangeError('the alphabet must have an even number of characters');
  let weight: number = factor;
  let sum = 0;
  for (let i = text.length - 1; i >= 0; i--) {
    const value = alphabet.indexOf(text[i] as string);
    if (value < 0) throw new RangeError(`character ${i + 1} is not in the alphabet`);
    const product = value * weight;
    sum += Math.floor(product / n) + (product % n);
    weight = weight === 2 ? 1 : 2;
  }
  return sum;
}
