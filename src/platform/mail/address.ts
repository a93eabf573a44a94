/** What may stand in the header and the envelope of a mail (reliability M28). */
const MOST_ADDRESS = 254;
const MOST_HEADER = 200;

/** One address in ASCII: no list, no group, no comment, no quotes. */
const ADDRESS =
  /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]{1,64}(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]{1,64})*@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;

/** Whether mail may be sent to a text, which is then the address of one mailbox and nothing else. */
export const isMailAddress = (text: string): boolean =>
  text.length <= MOST_ADDRESS && text.indexOf('@') <= 64 && ADDRESS.test(text);

/**
 * A name or subject on one line: what could begin another header becomes a space. So does what reads like an encoded word
 * (RFC 2047), which receivers decode, line breaks included.
 */
export const headerText = (text: string): string => {
  const line = text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').replaceAll('=?', '= ?');
  return [...line.trim()].slice(0, MOST_HEADER).join('');
};
