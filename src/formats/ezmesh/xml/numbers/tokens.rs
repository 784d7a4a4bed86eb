//! A reader for the numbers in the text of one element, in sequence.
//!
//! The fast path finds the positions of many tokens at a time ([`spans`](super::spans)), and parses
//! the decimal digits at these positions ([`notation`]). The slow path reads one byte at a time.
//! The slow path handles a token in an unusual notation, and markup next to a token. If the fast
//! path cannot parse a token, the slow path starts at the same position. The fast path and the slow
//! path return the same numbers, because the fast path only accepts text that has one possible
//! meaning.

use std::ops::{Range, RangeInclusive};

use super::character_data::{
    CharacterData, MAX_TOKEN_LENGTH, NumberFault, NumberFaultKind, TextPosition, TokenWord, is_separator,
};
use super::notation::{self, WIDTH, parse_float, parse_integer};
use super::spans::{TokenSpan, TokenSpans};

/// Reads the numbers in the text of one element, in sequence.
///
/// If a token cannot be parsed, the method that reads the token returns a [`NumberFault`] and does
/// not skip the token. The method [`word`](Self::word) skips a token without parsing it.
#[derive(Clone, Debug)]
pub struct Tokens<'a> {
    data: CharacterData<'a>,
    place: TextPosition,
    spans: TokenSpans,
    longest: usize,
    bad_digits: u64,
}

impl<'a> Tokens<'a> {
    /// Creates a reader for the content of an element. `content` is the byte range of this content
    /// in the file.
    ///
    /// The maximum length of a token is `longest` bytes, or 256 bytes if `longest` is greater.
    #[must_use]
    pub fn new(bytes: &'a [u8], content: Range<usize>, longest: usize) -> Self {
        let close = content.end.min(bytes.len());
        let place = TextPosition { at: content.start.min(close), end: close };
        let longest = longest.min(MAX_TOKEN_LENGTH);
        Self { data: CharacterData { bytes, close }, place, spans: TokenSpans::new(), longest, bad_digits: 0 }
    }

    /// Returns the file offset of the current reading position: the next byte to read.
    #[must_use]
    pub const fn at(&self) -> usize {
        self.place.at
    }

    /// Returns the bytes of the whole file.
    #[must_use]
    pub const fn bytes(&self) -> &'a [u8] {
        self.data.bytes
    }

    /// Returns the number of bytes that were read as the hexadecimal digit 0 but are not
    /// hexadecimal digits.
    #[must_use]
    pub const fn bad_digits(&self) -> u64 {
        self.bad_digits
    }

    /// Skips separators, and returns whether the text has no further token.
    ///
    /// # Errors
    ///
    /// Returns an error if the text contains markup that is not allowed between numbers.
    pub fn is_done(&mut self) -> Result<bool, NumberFault> {
        let mut place = self.place;
        let next = self.data.skip(&mut place)?;
        self.go(place);
        Ok(next.is_none())
    }

    /// Reads the next token as a float.
    ///
    /// # Errors
    ///
    /// Returns an error if no token is left, if the token is not a float, or if the text contains
    /// markup that is not allowed between numbers.
    pub fn float(&mut self) -> Result<f32, NumberFault> {
        let mut one = [0.0];
        self.floats_into(&mut one).map(|()| one[0])
    }

    /// Reads the next tokens as floats until `out` is full.
    pub fn floats_into(&mut self, out: &mut [f32]) -> Result<(), NumberFault> {
        self.many_into(out, TokenSpans::floats, |text| parse_float(text).ok_or(NumberFaultKind::Float))
    }

    /// Reads numbers until `out` is full. Numbers in the usual decimal notation are parsed in
    /// batches, and other numbers by the closure `parse`.
    fn many_into<T>(
        &mut self,
        out: &mut [T],
        many: impl Fn(&mut TokenSpans, &[u8], usize, &mut [T]) -> usize,
        parse: impl Fn(&[u8]) -> Result<T, NumberFaultKind>,
    ) -> Result<(), NumberFault> {
        // The maximum token length is not checked when a batch of tokens is parsed. Hence batches
        // are used only if the longest token that a batch accepts, 16 bytes and a sign, does not
        // exceed the maximum token length.
        let short = self.longest > WIDTH;
        let mut done = 0_usize;
        while let Some(left @ [_, ..]) = out.get_mut(done..) {
            let known = if short { self.find() } else { None };
            let read = known.map_or(0, |_| many(&mut self.spans, self.data.bytes, self.place.end, left));
            if read > 0 {
                self.place.at = self.spans.last_end();
                done = done.wrapping_add(read);
            } else if let Some(next) = left.first_mut() {
                *next = self.slow(&parse)?;
                done = done.wrapping_add(1);
            }
        }
        Ok(())
    }

    /// Reads the next token as an integer of 32 bits, signed or unsigned. A negative integer is
    /// returned as its two's complement.
    ///
    /// # Errors
    ///
    /// Returns an error if no token is left, if the token is not an integer of 32 bits, or if the
    /// text contains markup that is not allowed between numbers.
    pub fn index(&mut self) -> Result<u32, NumberFault> {
        let mut one = [0];
        self.indices_into(&mut one).map(|()| one[0])
    }

    /// Reads the next tokens as integers of 32 bits until `out` is full.
    pub fn indices_into(&mut self, out: &mut [u32]) -> Result<(), NumberFault> {
        let parse = |text: &[u8]| parse_integer(text).and_then(notation::wrap).ok_or(NumberFaultKind::Index);
        self.many_into(out, TokenSpans::indices, parse)
    }

    /// Reads the next token as a signed integer of 64 bits that must be within a given range.
    ///
    /// # Errors
    ///
    /// Returns an error if no token is left, if the token is not a signed integer of 64 bits, if
    /// the integer is not within `range`, or if the text contains markup that is not allowed
    /// between numbers.
    #[inline]
    pub fn integer_within(&mut self, range: RangeInclusive<i64>) -> Result<i64, NumberFault> {
        // The window: the sixteen bytes that end with the last byte of a token.
        let window = |token: &TokenSpan| self.data.bytes.get(..token.end)?.last_chunk();
        let quick = self.find().and_then(|token| Some((token, notation::short(window(&token)?, token.length())?)));
        if let Some((token, value)) =
            quick.map(|(token, value)| (token, value.into())).filter(|(_, value)| range.contains(value))
        {
            self.take(&token);
            return Ok(value);
        }
        self.slow(|text| {
            let value = parse_integer(text).ok_or(NumberFaultKind::Integer)?;
            if range.contains(&value) { Ok(value) } else { Err(NumberFaultKind::Range) }
        })
    }

    /// Skips the next token and returns its byte range in the file. If markup splits the token, the
    /// range includes the markup.
    ///
    /// # Errors
    ///
    /// Returns an error if no token is left, if the token is too long, or if the text contains
    /// markup that is not allowed between numbers.
    pub fn word(&mut self) -> Result<Range<usize>, NumberFault> {
        let TokenWord { start, after, .. } = self.data.word(self.place, self.longest)?;
        self.go(after);
        Ok(start..after.at)
    }

    /// Skips separators, and reads one byte.
    ///
    /// # Errors
    ///
    /// Returns an error if no byte is left, or if the text contains markup that is not allowed
    /// between numbers.
    pub fn character(&mut self) -> Result<u8, NumberFault> {
        let mut place = self.place;
        let byte = self.data.skip(&mut place)?.ok_or(NumberFaultKind::End.at(place.at))?;
        place.at = place.at.saturating_add(1);
        self.go(place);
        Ok(byte)
    }

    /// Reads a number of exactly `digits` hexadecimal digits, at most eight. Any byte may follow
    /// the digits in the text, because the number needs no separator.
    ///
    /// A byte that is neither a hexadecimal digit nor a separator counts as the digit 0, as in the
    /// importer of the format's author.
    ///
    /// # Errors
    ///
    /// Returns an error if fewer than `digits` bytes are left before a separator or the end, or if
    /// the text contains markup that is not allowed between numbers.
    pub fn hex(&mut self, digits: usize) -> Result<u32, NumberFault> {
        if let Some(value) = self.quick_hex(digits) {
            return Ok(value);
        }
        let mut place = self.place;
        self.data.skip(&mut place)?.ok_or(NumberFaultKind::End.at(place.at))?;
        let (start, mut value, mut bad) = (place.at, 0, 0_u64);
        for _ in 0..digits {
            let byte = self.data.peek(&mut place)?.filter(|byte| !is_separator(*byte));
            let digit = notation::digit(byte.ok_or(NumberFaultKind::Hex.at(start))?);
            value = value << 4 | digit.unwrap_or_default();
            bad = bad.saturating_add(u64::from(digit.is_none()));
            place.at = place.at.saturating_add(1);
        }
        self.bad_digits = self.bad_digits.saturating_add(bad);
        self.go(place);
        Ok(value)
    }

    /// Reads a token of exactly `digits` hexadecimal digits with the fast path. Returns `None` if
    /// the slow path is necessary.
    #[inline]
    fn quick_hex(&mut self, digits: usize) -> Option<u32> {
        let token = self.find().filter(|token| token.length() == digits)?;
        let value = notation::hexadecimal(self.data.bytes.get(token.start..token.end)?)?;
        self.take(&token);
        Some(value)
    }

    /// Finds the next token with the fast path. Returns `None` if the search does not find the end
    /// of the token, if the token is too long, or if the token does not end within the current
    /// CDATA section or element content.
    #[inline]
    fn find(&mut self) -> Option<TokenSpan> {
        let mut span = self.spans.peek();
        if span.is_none() {
            self.spans.look(self.data.bytes, self.place.at);
            span = self.spans.peek();
        }
        span.filter(|span| span.end <= self.place.end && span.length() <= self.longest)
    }

    /// Moves the reading position after a token that `find` returned.
    #[inline]
    fn take(&mut self, token: &TokenSpan) {
        self.place.at = token.end;
        self.spans.take();
    }

    /// Moves the reading position to a later position in the character data.
    #[inline]
    fn go(&mut self, place: TextPosition) {
        self.place = place;
        self.spans.forget(place.at);
    }

    /// Reads a token with the slow path, which also accepts a token that markup splits.
    #[cold]
    #[inline(never)]
    fn slow<T>(&mut self, parse: impl FnOnce(&[u8]) -> Result<T, NumberFaultKind>) -> Result<T, NumberFault> {
        let word = self.data.word(self.place, self.longest)?;
        let value = parse(word.bytes()).map_err(|what| what.at(word.start))?;
        self.go(word.after);
        Ok(value)
    }
}

#[cfg(test)]
#[allow(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    reason = "numbers made up for a test"
)]
mod tests {
    use super::*;
    use crate::formats::ezmesh::xml::numbers::{count, random};

    const ANY: RangeInclusive<i64> = i64::MIN..=i64::MAX;

    /// Reads all floats of a text. Returns the bits of each float, and the error that ended the
    /// reading, if an error occurred.
    fn floats(text: &[u8], content: Range<usize>) -> (Vec<u32>, Option<NumberFault>) {
        let mut tokens = Tokens::new(text, content, 128);
        let mut found = Vec::new();
        loop {
            match tokens.is_done() {
                Ok(true) => return (found, None),
                Ok(false) => {}
                Err(fault) => return (found, Some(fault)),
            }
            match tokens.float() {
                Ok(value) => found.push(value.to_bits()),
                Err(fault) => return (found, Some(fault)),
            }
        }
    }

    /// Reads the same floats in several ways, compares the results and returns them.
    ///
    /// The floats are read one by one and in batches, with other bytes around the text and without
    /// them.
    fn all_ways(text: &[u8]) -> Vec<u32> {
        let (expected, fault) = floats(text, 0..text.len());
        assert_eq!(fault, None);
        let mut file = vec![b'5'; 300];
        file.extend_from_slice(text);
        let content = 300..file.len();
        file.extend([b'5'; 300]);
        assert_eq!(floats(&file, content.clone()), (expected.clone(), None));
        for piece in [usize::MAX, 1, 3, 10] {
            let mut tokens = Tokens::new(&file, content.clone(), 128);
            let mut found = vec![0.0; expected.len()];
            for row in found.chunks_mut(piece.min(expected.len().max(1))) {
                tokens.floats_into(row).unwrap();
            }
            assert!(found.iter().map(|value| value.to_bits()).eq(expected.iter().copied()));
            assert_eq!(tokens.is_done(), Ok(true));
            assert_eq!(tokens.floats_into(&mut [0.0]), Err(NumberFaultKind::End.at(content.end)));
        }
        expected
    }

    fn agree(tokens: &[String], random: &mut impl FnMut(u64) -> u64) {
        let mut text = Vec::new();
        for token in tokens {
            text.extend_from_slice(token.as_bytes());
            text.extend_from_slice([&b" "[..], b",", b" ,    ", b"\r\n          "][random(4) as usize]);
        }
        let found = all_ways(&text);
        assert_eq!(found.len(), tokens.len());
        for (token, found) in tokens.iter().zip(found) {
            let expected: f32 = token.parse().unwrap();
            assert_eq!(found, expected.to_bits(), "{token}");
        }
    }

    #[test]
    fn agrees_with_the_standard_library() {
        let mut random = random(11);
        let sign = |random: &mut dyn FnMut(u64) -> u64| ["", "", "-", "+"][random(4) as usize];
        for kind in 0..7 {
            let tokens: Vec<String> = (0..if cfg!(debug_assertions) { 4_000 } else { 40_000 })
                .map(|_| {
                    let sign = sign(&mut random);
                    match kind {
                        // Fixed notation of 1 to 17 digits, with a decimal point at any position or
                        // without a decimal point.
                        0 => {
                            let digits = format!("{:017}", random(100_000_000_000_000_000));
                            let length = 1 + random(17) as usize;
                            let mut digits = digits[..length].to_owned();
                            if random(4) > 0 {
                                digits.insert(random(length as u64 + 1) as usize, '.');
                            }
                            format!("{sign}{digits}")
                        }
                        1 => format!(
                            "{sign}{:.9}",
                            f64::from(random(1 << 31) as u32) / f64::from(1 + random(1 << 30) as u32)
                        ),
                        2 => format!("{sign}{}e{}", random(1 << 40), random(100) as i64 - 60),
                        // The shortest text that parses back to a random float, including subnormal
                        // floats.
                        3 => format!(
                            "{:e}",
                            Some(f32::from_bits(random(1 << 32) as u32)).filter(|it| it.is_finite()).unwrap_or(0.0)
                        ),
                        4 => format!("{:e}", f32::from_bits(random(1 << 24) as u32)),
                        // Numbers exactly in the middle between two floats, and numbers directly
                        // next to the middle.
                        5 => {
                            let bits = (0x3400_0000 + random(0x1a00_0000)) as u32;
                            let middle = f64::midpoint(f32::from_bits(bits).into(), f32::from_bits(bits + 1).into());
                            let exact = format!("{middle:.40}");
                            let exact = exact.trim_end_matches('0');
                            format!("{sign}{exact}{}", ["", "0", "1", "00000001"][random(4) as usize])
                        }
                        _ => format!("{sign}{}", (1 << 24) + random(1 << 27)),
                    }
                })
                .collect();
            agree(&tokens, &mut random);
        }
        let few = [
            "0",
            "-0",
            "-0.000000000",
            "1",
            "-1",
            "00000000000000.5",
            "0.5",
            "9999999999999999",
            "0000000000000000",
            "16777217",
        ];
        agree(&few.map(str::to_owned), &mut random);
    }

    #[test]
    fn markup_changes_no_number() {
        let text = "1.5 -2e3,0x1p3 $3f800000\r\nfltmax -0.12345678 inf 7 12345678901 0.00000000000000000001";
        let plain = all_ways(text.as_bytes());
        let tokens = u64::try_from(plain.len()).unwrap();
        for first in 0..=text.len() {
            for between in ["<!-- 1 2 -->", "<!---->", "<? 3?>", "<![CDATA[]]>", "<!-- <a>]]> --><?b?>"] {
                let split = format!("{}{between}{}", &text[..first], &text[first..]);
                assert_eq!(all_ways(split.as_bytes()), plain, "{split}");
                assert_eq!(count(split.as_bytes(), 0..split.len()), Ok(tokens), "{split}");
            }
            for last in first..=text.len() {
                let split = format!("{}<![CDATA[{}]]>{}", &text[..first], &text[first..last], &text[last..]);
                assert_eq!(floats(split.as_bytes(), 0..split.len()), (plain.clone(), None), "{split}");
                assert_eq!(count(split.as_bytes(), 0..split.len()), Ok(tokens), "{split}");
            }
        }
    }

    #[test]
    fn faults_say_what_and_where() {
        let float = |text: &str| Tokens::new(text.as_bytes(), 0..text.len(), 128).float().unwrap_err();
        assert_eq!(float(""), NumberFaultKind::End.at(0));
        assert_eq!(float(" \r\n\t, "), NumberFaultKind::End.at(6));
        assert_eq!(float("<!-- -->"), NumberFaultKind::End.at(8));
        for bad in [
            "--1",
            "1;2",
            "+",
            ".",
            "-",
            "-.",
            "e5",
            "1.2.3",
            "1-2",
            "&#48;",
            "1\0",
            "1]]>",
            "<![CDATA[<]]>",
            "<![CDATA[&]]>",
            "12345678901234567x",
            "1/2",
        ] {
            let padded = format!("  {bad}{}", " ".repeat(400));
            let fault = float(&padded);
            let start = if bad.starts_with("<!") { 11 } else { 2 };
            assert_eq!(fault, NumberFaultKind::Float.at(start), "{bad}");
            assert_eq!(float(padded.trim_end()), fault);
            let mut bulk = Tokens::new(padded.as_bytes(), 0..padded.len(), 128);
            assert_eq!(bulk.floats_into(&mut [0.0; 9]), Err(fault));
        }
        assert_eq!(float(" 1<a/>"), NumberFaultKind::Element.at(2));
        assert_eq!(float("<!DOCTYPE>"), NumberFaultKind::Element.at(0));
        assert_eq!(float(" <!-->"), NumberFaultKind::Unclosed.at(1));
        assert_eq!(float("1<!-- --"), NumberFaultKind::Unclosed.at(1));
        assert_eq!(float("<![CDATA[1"), NumberFaultKind::Unclosed.at(0));
        assert_eq!(float("<?a"), NumberFaultKind::Unclosed.at(0));
        let mut tokens = Tokens::new(b"1 x 2", 0..5, 128);
        tokens.float().unwrap();
        assert_eq!(tokens.float(), tokens.clone().float());
        assert_eq!(tokens.word(), Ok(2..3));
        assert_eq!(tokens.float(), Ok(2.0));
    }

    #[test]
    fn long_tokens_are_too_long_on_every_path() {
        for (longest, most) in [(0, 0), (1, 1), (8, 8), (16, 16), (17, 17), (128, 128), (256, 256), (9999, 256)] {
            for length in [1, 2, 7, 8, 9, 15, 16, 17, 18, 127, 128, 129, 255, 256, 257, 10_000_usize] {
                for split in [None, Some(length / 2)] {
                    let mut text = vec![b' '; 20];
                    text.extend(vec![b'0'; length]);
                    if let Some(split) = split {
                        text.splice(20 + split..20 + split, *b"<!-- -->");
                    }
                    text.extend(vec![b' '; 300]);
                    let tokens = Tokens::new(&text, 0..text.len(), longest);
                    let long = length > most;
                    let fault = move |fault: NumberFault| long && fault.what == NumberFaultKind::Long;
                    assert!(tokens.clone().float().map_or_else(fault, |value| !long && value == 0.0));
                    assert!(tokens.clone().floats_into(&mut [1.0]).map_or_else(fault, |()| !long));
                    assert!(tokens.clone().integer_within(ANY).map_or_else(fault, |value| !long && value == 0));
                    assert!(tokens.clone().index().map_or_else(fault, |value| !long && value == 0));
                    assert!(tokens.clone().word().map_or_else(fault, |_| !long));
                }
            }
        }
    }

    #[test]
    fn many_at_a_time_end_where_the_data_does() {
        let text = format!("{}1 2 33 4444 5 {}", " ".repeat(20), "6 ".repeat(300));
        for end in 20..40 {
            let content = text.get(..end).unwrap();
            let expected: Vec<f32> = content.split_whitespace().map(|token| token.parse().unwrap()).collect();
            let mut found = [0.0; 9];
            let mut tokens = Tokens::new(text.as_bytes(), 20..end, 128);
            assert_eq!(tokens.floats_into(&mut found), Err(NumberFaultKind::End.at(end)));
            assert!(found.starts_with(&expected));
            assert!(found.iter().skip(expected.len()).all(|value| *value == 0.0));
            let mut tokens = Tokens::new(text.as_bytes(), 20..end, 3);
            let long = if end < 31 { NumberFaultKind::End.at(end) } else { NumberFaultKind::Long.at(27) };
            assert_eq!(tokens.floats_into(&mut found), Err(long));
        }
    }

    #[test]
    fn indices_are_integers_of_32_bits() {
        let mut text =
            b"0 7,99999999 123456789 4294967295 -1 -2147483648 +5 00000000000000000005 12<!-- -->34".to_vec();
        let end = text.len();
        text.extend([b' '; 300]);
        let mut tokens = Tokens::new(&text, 0..end, 128);
        let mut found = [0; 10];
        tokens.indices_into(&mut found).unwrap();
        assert_eq!(found, [0, 7, 99_999_999, 123_456_789, u32::MAX, u32::MAX, 1 << 31, 5, 5, 1234]);
        assert_eq!(tokens.is_done(), Ok(true));
        for bad in ["1.0", "4294967296", "-2147483649", "0x1", "--1", "1e3", "x", "1;"] {
            let text = format!("{}{bad}{}", " ".repeat(20), " ".repeat(300));
            assert_eq!(
                Tokens::new(text.as_bytes(), 0..text.len(), 128).index(),
                Err(NumberFaultKind::Index.at(20)),
                "{bad}"
            );
        }
        assert_eq!(Tokens::new(b"-5000000000 1.5", 0..15, 128).integer_within(ANY), Ok(-5_000_000_000));
        assert_eq!(Tokens::new(b"1.5", 0..3, 128).integer_within(ANY), Err(NumberFaultKind::Integer.at(0)));
    }

    #[test]
    fn hexadecimal_groups_need_no_separator() {
        let text = b" ff00FF7f12345678,q1 z z12<!-- -->34 0.5 abc";
        let mut tokens = Tokens::new(text, 0..text.len(), 128);
        assert_eq!(tokens.hex(8), Ok(0xff00_ff7f));
        assert_eq!(tokens.hex(4), Ok(0x1234));
        assert_eq!(tokens.hex(2), Ok(0x56));
        assert_eq!(tokens.at(), 15);
        assert_eq!(tokens.float(), Ok(78.0));
        assert_eq!(tokens.bad_digits(), 0);
        assert_eq!(tokens.hex(2), Ok(0x01));
        assert_eq!(tokens.bad_digits(), 1);
        assert_eq!(tokens.hex(2), Err(NumberFaultKind::Hex.at(21)));
        assert_eq!(tokens.bad_digits(), 1);
        assert_eq!(tokens.character(), Ok(b'z'));
        assert_eq!(tokens.character(), Ok(b'z'));
        assert_eq!(tokens.hex(4), Ok(0x1234));
        assert_eq!(tokens.float(), Ok(0.5));
        assert_eq!(tokens.hex(4), Err(NumberFaultKind::Hex.at(41)));
        assert_eq!(tokens.hex(2), Ok(0xab));
        assert_eq!(tokens.character(), Ok(b'c'));
        assert_eq!(tokens.character(), Err(NumberFaultKind::End.at(44)));
        assert_eq!(tokens.hex(8), Err(NumberFaultKind::End.at(44)));
    }

    #[test]
    fn any_bytes_end_and_read_alike_wherever_they_are() {
        let mut random = random(13);
        let alphabets: [&[u8]; 3] = [b" ,\n0123456789.-+eEx$fti", b" ,12.<!--->[]?CDAT&", b"0123456789 ,.-"];
        let pieces: [&[u8]; 8] = [b"<!--", b"-->", b"<![CDATA[", b"]]>", b"<?", b"?>", b"<a>", b" 1.5 "];
        for round in 0..20_000_usize {
            let mut text = Vec::new();
            for _ in 0..random(200) {
                if round % 3 == 1 && random(4) == 0 {
                    text.extend_from_slice(pieces[random(8) as usize]);
                } else if round % 7 == 0 {
                    text.push(random(256) as u8);
                } else {
                    let alphabet = alphabets[round % 3];
                    text.push(alphabet[random(alphabet.len() as u64) as usize]);
                }
            }
            let mut file = vec![b'<'; 300];
            file.extend_from_slice(&text);
            file.extend([b' '; 300]);
            let mut near = Tokens::new(&text, 0..text.len(), 20);
            let mut far = Tokens::new(&file, 300..300 + text.len(), 20);
            let shift = |fault: NumberFault| NumberFault { at: fault.at - 300, ..fault };
            for step in 0.. {
                assert!(step <= 2 * text.len() + 2, "no end");
                let before = near.at();
                let same = match random(8) {
                    0 => {
                        let (near, far) = (near.integer_within(ANY), far.integer_within(ANY).map_err(shift));
                        assert_eq!(near, far);
                        near.is_ok()
                    }
                    1 => {
                        let (near, far) = (near.index(), far.index().map_err(shift));
                        assert_eq!(near, far);
                        near.is_ok()
                    }
                    2 => {
                        let (near, far) = (near.hex(2), far.hex(2).map_err(shift));
                        assert_eq!(near, far);
                        near.is_ok()
                    }
                    3 => {
                        let (near, far) = (near.is_done(), far.is_done().map_err(shift));
                        assert_eq!(near, far);
                        false
                    }
                    4 => {
                        let (mut one, mut other) = ([0.0; 3], [0.0; 3]);
                        let (near, far) = (near.floats_into(&mut one), far.floats_into(&mut other).map_err(shift));
                        assert_eq!(near, far);
                        assert_eq!(one.map(f32::to_bits), other.map(f32::to_bits));
                        near.is_ok()
                    }
                    _ => {
                        let (near, far) =
                            (near.float().map(f32::to_bits), far.float().map(f32::to_bits).map_err(shift));
                        assert_eq!(near, far);
                        near.is_ok()
                    }
                };
                assert_eq!(near.at() + 300, far.at());
                assert!(!same || near.at() > before);
                if !same {
                    let (near, far) =
                        (near.word(), far.word().map(|word| word.start - 300..word.end - 300).map_err(shift));
                    assert_eq!(near, far);
                    if near.is_err() {
                        break;
                    }
                }
            }
        }
        let long = vec![b'1'; 100_000];
        assert_eq!(Tokens::new(&long, 0..long.len(), 128).float(), Err(NumberFaultKind::Long.at(0)));
        let _ = Tokens::new(b"abc", 7..9, 128).float().unwrap_err();
        #[allow(clippy::reversed_empty_ranges, reason = "such a range must do no harm")]
        let _ = Tokens::new(b"abc", 2..1, 128).float().unwrap_err();
    }
}
