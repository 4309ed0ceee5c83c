const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789-_';
const length = 20;

/** Random and free of characters that are easily mistaken for one another. */
export function generatePassword(): string {
  const characters: string[] = [];
  while (characters.length < length) {
    const [value = 0] = crypto.getRandomValues(new Uint8Array(1));
    // Values past the last whole alphabet would make its beginning likelier.
    if (value < 256 - (256 % alphabet.length)) characters.push(alphabet.charAt(value % alphabet.length));
  }
  return characters.join('');
}

export type Strength = { level: 0 | 1 | 2 | 3; text: string };

/** Some of the most common ones that are long enough to look better than they are. */
const common = new Set(
  `1234567890 0123456789 1234567891 12345678910 123456789a 1q2w3e4r5t 1qaz2wsx3edc abcdefghij adminadmin administrator changeme123
   iloveyou12 iloveyou123 letmein123 passw0rd123 password01 password10 password11 password12 password123 password1234 passwordpassword
   q1w2e3r4t5 qwerty12345 qwerty123456 qwertyuiop qwertyuiop123 welcome123 wordpress1 wordpress123 zxcvbnm123`.split(
    /\s+/,
  ),
);

/** Advice and no more: whatever WordPress takes is taken. */
export function strengthOf(password: string, names: string[]): Strength {
  const lower = password.toLowerCase();
  if (password.length < 10) return { level: 0, text: 'Short: 10 characters or more are harder to guess.' };
  if (common.has(lower)) return { level: 0, text: 'Easy to guess: it is among the most common passwords.' };
  if (names.some((name) => name.length >= 3 && lower.includes(name.toLowerCase())))
    return { level: 0, text: 'Easy to guess: it contains the user name or the email address.' };
  const kinds = [/[a-z]/, /[A-Z]/, /[0-9]/, /[^A-Za-z0-9]/].filter((kind) => kind.test(password)).length;
  const distinct = new Set(lower).size;
  // Length counts most, so that a few words are as good as a thicket of signs.
  const score = 3 * Math.min(distinct, 12) + 1.5 * password.length + 4 * kinds;
  if (distinct < 4 || score < 45) return { level: 1, text: 'Weak. Add words or characters.' };
  if (score < 65) return { level: 2, text: 'Fair. Longer is better.' };
  return { level: 3, text: 'Strong.' };
}
