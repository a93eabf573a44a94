/** As accounts are found: lower case in ASCII only, so that Unicode look-alikes match nobody (reliability M14). */
export const normalEmail = (email: string): string =>
  email.trim().replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
