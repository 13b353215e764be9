/**
 * How names of secrets begin, or end where many words may stand before it. Nothing but letters, so that V8 finds them in a glance;
 * those outside of ASCII apart, for the same reason.
 */
export const SECRET_STEMS: readonly RegExp[] = [
  /pass|pw|pswd|mdp|kennwort|clave|wachtwoord|senha|heslo|key|secret|token|credential/gi,
  /contraseña|hasło|lösenord|jelszó|şifre|пароль|비밀번호|密码|口令|パスワード|密钥|令牌/gi,
];

/** Names of what is chosen by people; short values count. */
const PASSWORD_NAMES = [
  'pass(?:word|wort|wd|phrase|code)',
  'passe(?<=mot[ _]de[ _]passe|palavra[ _-]passe)',
  'pwd|pswd|mdp|kennwort|clave|wachtwoord|senha|heslo',
  '(?<![A-Za-z])(?:pass|pw)',
  'contraseña|hasło|lösenord|jelszó|şifre|пароль|비밀번호|密码|口令|パスワード',
].join('|');
/** Names of what is made by machines. */
const KEY_NAMES = [
  '(?<=(?:api|access|secret)[ _-]?|(?:app|account|auth|private|encryption|signing|master|license|storage)[_-]?)key(?:[_-]?base)?',
  'secret|token|credential|密钥|令牌',
].join('|');

/** What a secret is called, where a stem is. The first group is the name of a password, the second of a key. */
export const SECRET_NAME = new RegExp(`(${PASSWORD_NAMES})|(${KEY_NAMES})`, 'iy');
