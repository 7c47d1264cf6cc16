// Text into HTML. What a page shows of the contract is written with backticks and asterisks, as OpenAPI has it.

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Text that cannot bring markup into a page, in attributes neither. */
export const escaped = (text: string): string => text.replace(/[&<>"']/g, (one) => ESCAPES[one] as string);

/** A sentence of the contract: `code`, **bold** and [links](/path) of it become markup, all else is text. */
export const sentence = (text: string): string =>
  escaped(text)
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replace(/\*\*([^*]+)\*\*/g, '<b>$1</b>')
    .replace(/\[([^\]]+)\]\((\/(?!\/)[^)\s]*)\)/g, '<a href="$2">$1</a>');
