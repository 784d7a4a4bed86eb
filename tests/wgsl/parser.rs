//! A parser of the part of WGSL that the decoders use: functions of `let` and `return` statements.

/// An expression.
#[derive(Debug)]
pub(super) enum Expr {
    /// A literal: its suffix `u`, `i` or `f`, and its bits.
    Literal(char, u32),
    Variable(String),
    /// A call of a function, a conversion or a constructor, such as `vec3<f32>`.
    Call(String, Vec<Expr>),
    /// Components of a vector, such as `xyz`.
    Components(Box<Expr>, String),
    /// A word of the storage buffer.
    Word(Box<Expr>),
    Negative(Box<Expr>),
    Binary(String, Box<Expr>, Box<Expr>),
}

#[derive(Debug)]
pub(super) struct Function {
    pub(super) name: String,
    pub(super) parameters: Vec<String>,
    pub(super) lets: Vec<(String, Expr)>,
    pub(super) result: Expr,
}

pub(super) struct Parser {
    tokens: Vec<String>,
    at: usize,
}

impl Parser {
    /// Parses all functions of a text. A text with anything else makes the test fail.
    pub(super) fn parse(text: &str) -> Vec<Function> {
        let mut parser = Self { tokens: tokens(text), at: 0 };
        let mut functions = Vec::new();
        while parser.at < parser.tokens.len() {
            functions.push(parser.function());
        }
        functions
    }

    fn peek(&self) -> &str {
        self.tokens.get(self.at).map_or("", String::as_str)
    }

    fn next(&mut self) -> String {
        self.at += 1;
        self.tokens[self.at - 1].clone()
    }

    fn skip(&mut self, token: &str) -> bool {
        let found = self.peek() == token;
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, token: &str) {
        assert!(self.skip(token), "expected `{token}`, found `{}`", self.peek());
    }

    fn function(&mut self) -> Function {
        self.expect("fn");
        let name = self.next();
        self.expect("(");
        let mut parameters = Vec::new();
        while !self.skip(")") {
            parameters.push(self.next());
            self.expect(":");
            self.type_name();
            self.skip(",");
        }
        self.expect("->");
        self.type_name();
        self.expect("{");
        let mut lets = Vec::new();
        while self.skip("let") {
            let variable = self.next();
            self.expect("=");
            lets.push((variable, self.expression()));
            self.expect(";");
        }
        self.expect("return");
        let result = self.expression();
        self.expect(";");
        self.expect("}");
        Function { name, parameters, lets, result }
    }

    fn type_name(&mut self) -> String {
        let mut name = self.next();
        if self.skip("<") {
            name = format!("{name}<{}>", self.next());
            self.expect(">");
        }
        name
    }

    /// Parses a comparison of sums, or a chain of equal bit operators. As in WGSL, a shift or a bit
    /// operator with another operator needs parentheses.
    fn expression(&mut self) -> Expr {
        let first = self.sum();
        match self.peek() {
            "<" | ">" | ">=" | "==" => {
                let operator = self.next();
                Expr::Binary(operator, first.into(), self.sum().into())
            }
            "<<" | ">>" => {
                let operator = self.next();
                Expr::Binary(operator, first.into(), self.unary().into())
            }
            "&" | "|" => {
                let operator = self.peek().to_owned();
                let mut chain = first;
                while self.skip(&operator) {
                    chain = Expr::Binary(operator.clone(), chain.into(), self.unary().into());
                }
                chain
            }
            _ => first,
        }
    }

    fn sum(&mut self) -> Expr {
        let mut sum = self.product();
        while ["+", "-"].contains(&self.peek()) {
            let operator = self.next();
            sum = Expr::Binary(operator, sum.into(), self.product().into());
        }
        sum
    }

    fn product(&mut self) -> Expr {
        let mut product = self.unary();
        while ["*", "/"].contains(&self.peek()) {
            let operator = self.next();
            product = Expr::Binary(operator, product.into(), self.unary().into());
        }
        product
    }

    fn unary(&mut self) -> Expr {
        if self.skip("-") {
            return Expr::Negative(self.unary().into());
        }
        let mut value = self.primary();
        while self.skip(".") {
            value = Expr::Components(value.into(), self.next());
        }
        value
    }

    fn primary(&mut self) -> Expr {
        if self.skip("(") {
            let inner = self.expression();
            self.expect(")");
            return inner;
        }
        if self.peek().starts_with(|first: char| first.is_ascii_digit()) {
            return literal(&self.next());
        }
        if self.skip("meshpeek_words") {
            self.expect("[");
            let index = self.expression();
            self.expect("]");
            return Expr::Word(index.into());
        }
        let is_template = ["vec2", "vec3", "vec4", "bitcast"].contains(&self.peek());
        let name = if is_template { self.type_name() } else { self.next() };
        if !self.skip("(") {
            return Expr::Variable(name);
        }
        let mut arguments = Vec::new();
        while !self.skip(")") {
            arguments.push(self.expression());
            self.skip(",");
        }
        Expr::Call(name, arguments)
    }
}

/// Parses a literal. The literals of WGSL without a suffix are floats in the decoders.
fn literal(text: &str) -> Expr {
    if let Some(hexadecimal) = text.strip_prefix("0x") {
        let digits = hexadecimal.strip_suffix('u').expect("a hexadecimal literal has a suffix");
        return Expr::Literal('u', u32::from_str_radix(digits, 16).unwrap());
    }
    if let Some(digits) = text.strip_suffix(['u', 'i']) {
        return Expr::Literal(text.chars().last().unwrap(), digits.parse().unwrap());
    }
    assert!(text.contains('.'), "`{text}` has no suffix and is no float");
    Expr::Literal('f', text.parse::<f32>().unwrap().to_bits())
}

fn tokens(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect();
    let text = lines.join("\n");
    let mut rest = text.trim_start();
    let mut tokens = Vec::new();
    while let Some(first) = rest.chars().next() {
        let is_word = |char: char| char.is_ascii_alphanumeric() || char == '_';
        let length = if is_word(first) {
            // A point is part of a number, but not of a name.
            rest.find(|char| !(is_word(char) || char == '.' && first.is_ascii_digit())).unwrap_or(rest.len())
        } else if ["->", "<<", ">>", ">=", "=="].iter().any(|operator| rest.starts_with(operator)) {
            2
        } else {
            1
        };
        tokens.push(rest[..length].to_owned());
        rest = rest[length..].trim_start();
    }
    tokens
}
